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
                        .build());
        root.getCommandSpec().version(CommandLineTool.NAME + " " + collaborators.version());
        root.getCommandSpec().usageMessage().footer(exitCodes());
        add(root, new RunCommand(configured, collaborators.runner()));
        add(root, new ProbeCommand(configured, collaborators.probe()));
        add(root, new CheckCommand(configured, collaborators.checks()));
        add(root, new HealthCommand(configured, collaborators.health()));
        add(root, new GateCommand(loader, collaborators.gate()));
        add(root, new ProvisionCommand(configured, collaborators.provision()));
        CommandLine claims = group("claims", "Look at the claims that this node has prepared.");
        add(claims, new ClaimsListCommand(configured, collaborators.claims()));
        add(claims, new ClaimsShowCommand(configured, collaborators.claims()));
        root.addSubcommand(claims);
        add(root, new ControllerCommand(configured, collaborators.controller()));
        add(root, new ManifestsCommand(configured));
        add(root, new DomainsCommand(configured, collaborators.domains()));
        CommandLine config = group("config", "Look at the configuration.");
        add(config, new ConfigShowCommand(configured));
        add(config, new ConfigValidateCommand(configured));
        root.addSubcommand(config);
        root.addSubcommand(rdma());
        add(root, new CompletionCommand(this::commandLine));
        add(root, new ManualCommand(this::commandLine, collaborators.version()));
        return root.setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false)
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100);
    }

    private CommandLine rdma() {
        CommandLine rdma = group("rdma", "Look at the RDMA NICs of this node.");
        add(rdma, new RdmaShowCommand(configured, collaborators.rdma()));
        add(rdma, new RdmaCheckCommand(configured, collaborators.rdma()));
        add(rdma, new RdmaSummaryCommand(configured, collaborators.rdma()));
        add(rdma, new RdmaSnapshotCommand(configured, collaborators.rdma(), collaborators.version()));
        return rdma;
    }

    private static CommandLine group(String name, String description) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description);
        GlobalOptions.addTo(spec);
        return new CommandLine(spec);
    }

    private static void add(CommandLine parent, Command command) {
        // The user object is how a parsed command line leads back to its command.
        CommandSpec described = command.spec();
        CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name(described.name());
        spec.usageMessage(described.usageMessage());
        described.options().stream().filter(option -> option.group() == null).forEach(spec::addOption);
        described.argGroups().forEach(spec::addArgGroup);
        described.positionalParameters().forEach(spec::addPositional);
        GlobalOptions.addTo(spec);
        parent.addSubcommand(new CommandLine(spec));
    }

    private static String exitCodes() {
        return "%nExit codes: "
                + Arrays.stream(ExitCode.values())
                        .map(code -> code.number() + " " + code.meaning())
                        .collect(Collectors.joining("; "))
                + ".";
    }
}
