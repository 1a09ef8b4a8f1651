package io.imexagent.agent.cli;

import picocli.CommandLine.Model.CommandSpec;

/** A command. Its arguments are described to picocli by hand: that costs no reflection, and flags come from the keys. */
interface Command {

    /** The command's name, its description and its arguments; not those that all commands have. */
    CommandSpec spec();

    /** Does what the command is for. */
    ExitCode run(Invocation invocation) throws Exception;
}
