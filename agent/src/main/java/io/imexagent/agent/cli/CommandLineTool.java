package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.Runner;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.fabric.child.ChildProgram;
import io.imexagent.fabric.child.ChildSide;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/** The program {@code imex-agent}: finds the command, runs it, and returns its exit code. */
public record CommandLineTool(Collaborators collaborators, ConfigLoader loader, Environment surroundings) {

    /** The command that decides starts of nvidia-imex. */
    public static final String GATE = "gate";

    public static final String NAME = "imex-agent";

    static final String RUN = "run";
    static final String FORCE = "--force";

    /** All commands, for generated documentation. */
    public CommandLine commands() {
        return new CommandTree(collaborators, loader, _ -> true).commandLine();
    }

    /** Runs the command that the arguments name; never throws because of a user's mistake. */
    public ExitCode execute(String... arguments) {
        List<String> words = List.of(arguments);
        try {
            if (words.equals(ChildProgram.ARGUMENTS)) {
                // Only the parent process starts this command: no help lists it, and it reads no configuration.
                ChildSide.run();
            }
            if (words.equals(FabricRankCommand.ARGUMENTS)) {
                return FabricRankCommand.run(surroundings, FabricRankCommand.MESSAGE);
            }
            return new CommandTree(
                            collaborators,
                            loader,
                            name -> words.contains(name) || words.contains(CommandTree.COMPLETION))
                    .execute(surroundings, arguments);
        } catch (Exception failure) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            surroundings.warn(message(failure));
            if (words.contains(GlobalOptions.DEBUG)) {
                failure.printStackTrace(surroundings.err());
            }
            return ExitCode.FAILED;
        }
    }

    /** Runs under the configuration of these sources, or prints all its faults. */
    static ExitCode under(ConfigLoader loader, ConfigSources sources, Environment surroundings, Runner runner)
            throws Exception {
        return switch (loader.load(sources)) {
            case LoadResult.LoadedConfig(AgentConfig config) -> runner.run(config, () -> loader.load(sources));
            case LoadResult.FaultyConfig(List<ConfigFault> faults) -> refused(faults, surroundings);
        };
    }

    /** Prints the faults. A wrong flag is a wrong command line, whatever the other faults are. */
    static ExitCode refused(List<ConfigFault> faults, Environment surroundings) {
        surroundings.warn("the configuration has " + (faults.size() == 1 ? "a fault:" : faults.size() + " faults:"));
        faults.forEach(fault -> surroundings.err().println("  " + fault.text()));
        return faults.stream().anyMatch(ConfigFault::isInFlag) ? ExitCode.USAGE : ExitCode.CONFIGURATION;
    }

    private static String message(Exception failure) {
        if (failure instanceof InterruptedException) {
            return "interrupted";
        }
        String message = Optional.ofNullable(failure.getMessage()).orElse("");
        return failure instanceof RuntimeException || message.isBlank()
                ? failure.getClass().getSimpleName() + (message.isBlank() ? "" : ": " + message)
                : message;
    }
}
