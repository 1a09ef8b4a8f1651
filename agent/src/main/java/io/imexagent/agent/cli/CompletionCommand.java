package io.imexagent.agent.cli;

import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;

/** The command {@code completion}. */
final class CompletionCommand {

    private CompletionCommand() {}

    /**
     * The command.
     *
     * @param commandLine makes the command line that is completed
     */
    static Command of(Supplier<CommandLine> commandLine) {
        var spec = Command.described(
                "completion",
                "Print the completion script for bash and zsh.",
                "Put it into effect with: source <(imex-agent completion)");
        return new Command(spec, invocation -> {
            invocation.out().print(AutoComplete.bash(CommandLineTool.NAME, commandLine.get()));
            return ExitCode.OK;
        });
    }
}
