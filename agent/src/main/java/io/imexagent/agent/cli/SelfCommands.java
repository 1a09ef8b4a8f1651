package io.imexagent.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands that tell of the command line itself: {@code completion}, {@code manual}. */
final class SelfCommands {

    private final Supplier<CommandLine> commandLine;
    private final String version;

    /**
     * The commands.
     *
     * @param commandLine makes the command line that is told of
     * @param version the agent's version
     */
    SelfCommands(Supplier<CommandLine> commandLine, String version) {
        this.commandLine = commandLine;
        this.version = version;
    }

    Command completion() {
        var spec = Command.described(
                "completion",
                "Print the completion script for bash and zsh.",
                "Put it into effect with: source <(imex-agent completion)");
        return new Command(spec, invocation -> {
            invocation.out().print(AutoComplete.bash(CommandLineTool.NAME, commandLine.get()));
            return ExitCode.OK;
        });
    }

    /** By this the package is given its man pages: one for each command, of section 1. */
    Command manual() {
        var spec = Command.described("manual", "Write the man pages of all commands into a directory.")
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .type(String.class)
                        .required(true)
                        .paramLabel("DIRECTORY")
                        .description("Where the pages go; it is made if it is not there.")
                        .build());
        spec.usageMessage().hidden(true);
        return new Command(spec, invocation -> {
            Path directory = Path.of(invocation.argument(0));
            Files.createDirectories(directory);
            write(commandLine.get(), directory);
            return ExitCode.OK;
        });
    }

    private void write(CommandLine command, Path directory) throws IOException {
        ManualPage page = new ManualPage(command.getCommandSpec(), version);
        Files.writeString(directory.resolve(page.name() + ".1"), page.roff());
        for (CommandLine child : command.getSubcommands().values()) {
            if (!child.getCommandSpec().usageMessage().hidden()) {
                write(child, directory);
            }
        }
    }
}
