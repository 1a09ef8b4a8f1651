package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigLoader;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** All commands, as picocli is told of them. */
final class CommandTree {

    static final String VERSION = "--version";

    private final Collaborators collaborators;
    private final ConfigLoader loader;
    private final Configured configured;

    CommandTree(Collaborators collaborators, ConfigLoader loader) {
        this.collaborators = collaborators;
        this.loader = loader;
        this.configured = new Configured(loader);
    }

    /** A fresh command line; picocli keeps what it parsed in it. */
    CommandLine commandLine() {
        CommandLine root = group(CommandLineTool.NAME, "Node agent for host-managed IMEX on NVLink racks.");
        root.getCommandSpec()
                .addOption(OptionSpec.builder("-V", VERSION)
                        .type(boolean.class)
                        .arity("0")
                        .versionHelp(true)
                        .description("Print the version.")
                        .build())
                .version(CommandLineTool.NAME + " " + collaborators.version())
                .usageMessage()
                .footer(exitCodes());
        var host = new HostCommands(configured, collaborators);
        var claims = new ClaimsCommands(configured, collaborators);
        var cluster = new ClusterCommands(configured, collaborators);
        var config = new ConfigCommands(configured);
        var rdma = new RdmaCommands(configured, collaborators);
        add(
                root,
                RunCommand.of(configured, collaborators.runner()),
                host.probe(),
                host.check(),
                host.health(),
                new GateCommand(loader, collaborators.gate()).command(),
                host.provision());
        CommandLine ofClaims =
                group("claims", "Look at the claims that this node has prepared, and forget one that is left over.");
        root.addSubcommand(add(ofClaims, claims.list(), claims.show(), claims.forget()));
        add(root, cluster.controller(), cluster.manifests(), cluster.domains(), cluster.cliques());
        CommandLine ofConfig = group("config", "Look at the configuration.");
        root.addSubcommand(add(ofConfig, config.show(), config.validate()));
        CommandLine ofRdma = group("rdma", "Look at the RDMA NICs of this node.");
        root.addSubcommand(add(ofRdma, rdma.show(), rdma.check(), rdma.summary(), rdma.snapshot()));
        add(root, CompletionCommand.of(this::commandLine));
        return root.setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false)
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100);
    }

    private static CommandLine group(String name, String description) {
        CommandSpec spec = Command.described(name, description);
        GlobalOptions.addTo(spec);
        return new CommandLine(spec);
    }

    private static CommandLine add(CommandLine parent, Command... commands) {
        for (Command command : commands) {
            // The user object is how a parsed command line leads back to its command.
            CommandSpec described = command.spec();
            CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name(described.name());
            spec.usageMessage(described.usageMessage());
            described.options().stream()
                    .filter(option -> option.group() == null)
                    .forEach(spec::addOption);
            described.argGroups().forEach(spec::addArgGroup);
            described.positionalParameters().forEach(spec::addPositional);
            GlobalOptions.addTo(spec);
            parent.addSubcommand(new CommandLine(spec));
        }
        return parent;
    }

    private static String exitCodes() {
        return "%nExit codes: "
                + Arrays.stream(ExitCode.values())
                        .map(code -> code.number() + " " + code.meaning())
                        .collect(Collectors.joining("; "))
                + ".";
    }
}
