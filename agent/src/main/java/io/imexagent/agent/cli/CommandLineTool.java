package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.Runner;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.fabric.child.ChildProgram;
import io.imexagent.fabric.child.ChildSide;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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
        return new CommandTree(collaborators, loader).commandLine();
    }

    /** Runs the command that the arguments name; never throws because of a user's mistake. */
    public ExitCode execute(String... arguments) {
        List<String> words = List.of(arguments);
        try {
            Optional<PlainArguments> run = PlainArguments.parse(RUN, FORCE, words);
            if (run.isPresent()) {
                Runner agent = run.get().switched() ? collaborators.forcedAgent() : collaborators.agent();
                return under(loader, run.get().sources(), surroundings, agent);
            }
            Optional<PlainArguments> gate = PlainArguments.parse(GATE, GateCommand.UNIT, words);
            if (gate.isPresent()) {
                return new GateCommand(loader, collaborators.process())
                        .run(gate.get().sources(), gate.get().switched(), surroundings);
            }
            if (words.equals(ChildProgram.ARGUMENTS)) {
                // Only the parent process starts this command: no help lists it, and it reads no configuration.
                ChildSide.run();
            }
            if (words.equals(FabricRankCommand.ARGUMENTS)) {
                return FabricRankCommand.run(surroundings, FabricRankCommand.MESSAGE);
            }
            return new CommandTree(collaborators, loader).execute(surroundings, arguments);
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

    /**
     * The arguments of the daemon or the gate in their plain form. Both start without the full command line, whose
     * classes would cost 140 ms (docs/performance.md). The full command line handles help, mistakes and everything
     * else.
     */
    record PlainArguments(ConfigSources sources, boolean switched) {

        /** Parses the command, its switch, and plain {@code --flag value} or {@code --flag=value}; empty otherwise. */
        static Optional<PlainArguments> parse(String command, String toggle, List<String> arguments) {
            if (arguments.isEmpty() || !arguments.getFirst().equals(command)) {
                return Optional.empty();
            }
            List<String> flags = ConfigKeys.flags();
            Map<String, List<String>> values = new HashMap<>();
            boolean switched = false;
            for (Iterator<String> words = arguments.listIterator(1); words.hasNext(); ) {
                String word = words.next();
                if (word.equals(toggle)) {
                    if (switched) {
                        return Optional.empty();
                    }
                    switched = true;
                    continue;
                }
                int equals = word.indexOf('=');
                String name = equals < 0 ? word : word.substring(0, equals);
                if (!(flags.contains(name) || name.equals(GlobalOptions.CONFIG)) || (equals < 0 && !words.hasNext())) {
                    return Optional.empty();
                }
                String value = equals < 0 ? words.next() : word.substring(equals + 1);
                List<String> given = values.computeIfAbsent(name, first -> new ArrayList<>());
                boolean again = !given.isEmpty() && !name.equals(ConfigKeys.SET_FLAG);
                // A parser could take a value with a leading hyphen for an option.
                if (again || value.isEmpty() || value.charAt(0) == '-') {
                    return Optional.empty();
                }
                given.add(value);
            }
            Optional<Path> file =
                    Optional.ofNullable(values.remove(GlobalOptions.CONFIG)).map(given -> Path.of(given.getFirst()));
            return Optional.of(new PlainArguments(new ConfigSources(file, values), switched));
        }
    }
}
