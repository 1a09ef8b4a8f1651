package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.log.LogLevel;
import io.imexagent.log.Logging;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** All commands, as picocli parses them; separate from {@link CommandLineTool}, which a daemon loads. */
final class CommandTree {

    private static final String VERSION = "--version";
    private static final String SHELL = "--shell";

    /** Longer lines are hard to read; shorter ones leave no room for picocli's columns. */
    private static final int WIDEST_HELP = 100;

    private static final int NARROWEST_HELP = 55;

    /** Shells with a completion script. */
    private enum Shell {
        BASH,
        ZSH,
        FISH
    }

    /** The command whose output names all flags of all commands. */
    static final String COMPLETION = "completion";

    private final ConfigLoader loader;
    private final Predicate<String> flagged;
    private final IdentityHashMap<CommandSpec, Command> commands = new IdentityHashMap<>();
    private final CommandLine root;

    /**
     * A tree for one command line, since picocli stores the parsed values in it. Commands whose names are {@code
     * flagged} have the flags of the configuration: there are a hundred, too many for all commands at each start.
     */
    CommandTree(Collaborators collaborators, ConfigLoader loader, Predicate<String> flagged) {
        this.loader = loader;
        this.flagged = flagged;
        CommandSpec program =
                Command.described(CommandLineTool.NAME, "Node agent for host-managed IMEX on NVLink racks.");
        GlobalOptions.addTo(program, false);
        program.addOption(GlobalOptions.flag("Print the version, and the commit it was built from.", "-V", VERSION)
                        .versionHelp(true)
                        .build())
                .version(CommandLineTool.NAME + " " + collaborators.process().version() + " (commit "
                        + collaborators.process().commit() + ")")
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes());
        root = new CommandLine(program);
        var host = new HostCommands(collaborators);
        var claims = new ClaimsCommands(collaborators);
        var cluster = new ClusterCommands(collaborators);
        var rdma = new RdmaCommands(collaborators);
        var config = new ConfigCommands(collaborators);
        add(root, host.run(), host.probe(), host.check(), host.health());
        add(root, new GateCommand(loader, collaborators.process()).command(), host.provision());
        group(
                Command.described(
                        "claims", "Look at the claims that this node has prepared, and forget one that is left over."),
                claims.list(),
                claims.show(),
                claims.forget());
        add(
                root,
                cluster.controller(),
                cluster.manifests(),
                cluster.domains(),
                cluster.cliques(),
                cluster.nodesFile(),
                cluster.racks());
        group(
                GlobalOptions.withFlags(Command.described(
                        "config",
                        "Show and validate the configuration. Every command that reads it takes its flags, which"
                                + " 'imex-agent config --help' lists.")),
                config.show(),
                config.validate());
        group(
                Command.described("rdma", "Show and check the RDMA NICs of this node."),
                rdma.show(),
                rdma.check(),
                rdma.summary(),
                rdma.snapshot());
        group(
                Command.described(
                        "fabric", "Prove that memory of one GPU process reaches another, rather than read a status."),
                new FabricCommands(collaborators).local(),
                new FabricTestCommand(collaborators).command());
        add(root, completion());
        root.setExpandAtFiles(false).setUsageHelpAutoWidth(false).setUsageHelpWidth(WIDEST_HELP);
    }

    CommandLine commandLine() {
        return root;
    }

    private void group(CommandSpec spec, Command... children) {
        GlobalOptions.addTo(spec, true);
        var group = new CommandLine(spec);
        add(group, children);
        root.addSubcommand(group);
    }

    private void add(CommandLine parent, Command... children) {
        for (Command command : children) {
            GlobalOptions.addTo(command.spec(), false);
            if (command.configurable() && flagged.test(command.spec().name())) {
                GlobalOptions.configurable(command.spec());
            }
            commands.put(command.spec(), command);
            parent.addSubcommand(new CommandLine(command.spec()));
        }
    }

    private Command completion() {
        var spec = Command.described(
                        COMPLETION,
                        "Print the completion script of a shell.",
                        "Put it into effect, in bash and zsh with: source <(imex-agent completion); in fish with:"
                                + " imex-agent completion --shell fish | source")
                .addOption(GlobalOptions.choice(
                        Shell.class,
                        "SHELL",
                        "The shell: ${COMPLETION-CANDIDATES}. Default: bash, which is zsh's too.",
                        SHELL));
        return new Command(spec, false, invocation -> {
            invocation
                    .out()
                    .print(
                            switch (invocation.option(SHELL, Shell.class).orElse(Shell.BASH)) {
                                case BASH, ZSH -> AutoComplete.bash(CommandLineTool.NAME, root);
                                case FISH -> new FishCompletion(root.getCommandSpec()).script();
                            });
            return ExitCode.OK;
        });
    }

    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        Arrays.stream(ExitCode.values())
                .sorted(Comparator.comparingInt(ExitCode::number))
                .forEach(code -> codes.put(" " + code.number(), code.meaning()));
        return codes;
    }

    /** Runs the command that the arguments name, or prints what is wrong with them. */
    ExitCode execute(Environment surroundings, String... arguments) throws Exception {
        try {
            List<ParseResult> chain = root.parseArgs(asOptions(arguments)).asCommandLineList().reversed().stream()
                    .map(CommandLine::getParseResult)
                    .toList();
            CommandSpec leaf = chain.getFirst().commandSpec();
            var invocation = new Invocation(chain, loader, surroundings);
            if (chain.stream().anyMatch(ParseResult::isUsageHelpRequested)) {
                int columns = invocation.screen().columns().orElse(WIDEST_HELP);
                root.setUsageHelpWidth(Math.clamp(columns, NARROWEST_HELP, WIDEST_HELP));
                leaf.commandLine().usage(surroundings.out(), ansi(invocation));
                return ExitCode.OK;
            }
            if (chain.getLast().isVersionHelpRequested()) {
                root.printVersionHelp(surroundings.out(), ansi(invocation));
                return ExitCode.OK;
            }
            Optional<Command> command = Optional.ofNullable(commands.get(leaf));
            if (command.isEmpty()) {
                surroundings.warn("missing command");
                leaf.commandLine().usage(surroundings.err(), Ansi.OFF);
                return ExitCode.USAGE;
            }
            // All libraries of a command log in one way; a daemon sets up its own log.
            Logging.ofCommand(LogLevel.WARN);
            return command.get().action().run(invocation);
        } catch (ParameterException wrong) {
            return wrong(wrong, surroundings);
        }
    }

    /** Replaces {@code help COMMAND} and {@code version}, which many users try first, by the options of these names. */
    private static String[] asOptions(String... arguments) {
        return switch (arguments.length == 0 ? "" : arguments[0]) {
            case "help" ->
                Stream.concat(Arrays.stream(arguments).skip(1), Stream.of(GlobalOptions.HELP))
                        .toArray(String[]::new);
            case "version" ->
                Stream.concat(Stream.of(VERSION), Arrays.stream(arguments).skip(1))
                        .toArray(String[]::new);
            default -> arguments;
        };
    }

    private static ExitCode wrong(ParameterException wrong, Environment surroundings) {
        surroundings.warn(String.valueOf(wrong.getMessage()));
        CommandLine.UnmatchedArgumentException.printSuggestions(
                wrong, new PrintWriter(surroundings.err(), true, StandardCharsets.UTF_8));
        surroundings
                .err()
                .println("See '" + wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    private static Ansi ansi(Invocation invocation) {
        return invocation.screen().colours() ? Ansi.ON : Ansi.OFF;
    }
}
