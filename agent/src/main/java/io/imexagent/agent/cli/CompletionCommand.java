package io.imexagent.agent.cli;

import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent completion}. */
final class CompletionCommand implements Command {

    private final Supplier<CommandLine> commandLine;

    /**
     * The command.
     *
     * @param commandLine makes the command line that is to be completed
     */
    CompletionCommand(Supplier<CommandLine> commandLine) {
        this.commandLine = commandLine;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("completion");
        spec.usageMessage()
                .description(
                        "Print the completion script for bash and zsh.",
                        "Put it into effect with: source <(imex-agent completion)");
        return spec;
    }

    @Override
    public ExitCode run(Invocation invocation) {
        invocation.out().print(AutoComplete.bash(CommandLineTool.NAME, commandLine.get()));
        return ExitCode.OK;
    }
}
