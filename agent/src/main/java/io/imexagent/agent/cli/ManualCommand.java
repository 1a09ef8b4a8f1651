package io.imexagent.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code imex-agent manual}, by which the package is given its man pages: one for each command, of section 1. */
final class ManualCommand implements Command {

    private final Supplier<CommandLine> commandLine;
    private final String version;

    /**
     * The command.
     *
     * @param commandLine makes the command line that is told of
     * @param version the agent's version
     */
    ManualCommand(Supplier<CommandLine> commandLine, String version) {
        this.commandLine = commandLine;
        this.version = version;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("manual")
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .type(String.class)
                        .required(true)
                        .paramLabel("DIRECTORY")
                        .description("Where the pages go; it is made if it is not there.")
                        .build());
        spec.usageMessage().hidden(true).description("Write the man pages of all commands into a directory.");
        return spec;
    }

    @Override
    public ExitCode run(Invocation invocation) throws IOException {
        Path directory = Path.of(invocation.argument(0));
        Files.createDirectories(directory);
        write(commandLine.get(), directory);
        return ExitCode.OK;
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
