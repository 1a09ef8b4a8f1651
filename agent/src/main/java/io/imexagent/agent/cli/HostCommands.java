package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexDocument;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.probe.InventoryDocument;
import io.imexagent.imex.probe.XidLog;
import io.imexagent.imex.provision.Provisioning.ProvisionResult;
import io.imexagent.imex.watch.ChannelStatus;
import io.imexagent.kubernetes.ApiObserver;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The commands of this host: {@code run}, {@code probe}, {@code check}, {@code health}, {@code provision}. */
record HostCommands(Collaborators collaborators) {

    private static final String CHECK = "--check";
    private static final String DRY_RUN = "--dry-run";
    private static final String ONLY_WITH_GPU = "--only-with-gpu";

    Command run() {
        var spec = Command.described(
                        CommandLineTool.RUN, "Run the agent until SIGTERM; SIGHUP loads the configuration again.")
                .addOption(GlobalOptions.toggle(
                        "Start although claims are prepared under another mode or isolation, or as a service with a"
                                + " simulated NVML; what that overrules is logged.",
                        CommandLineTool.FORCE));
        return Command.running(
                spec,
                invocation ->
                        invocation.has(CommandLineTool.FORCE) ? collaborators.forcedAgent() : collaborators.agent());
    }

    Command probe() {
        var spec = Command.printing(
                "probe",
                "Read the host once and print what was found.",
                "Ends with " + ExitCode.FAILED.number()
                        + " where a finding is critical or a GPU or the fabric is broken,"
                        + " with " + ExitCode.WARNINGS.number()
                        + " where the worst finding is a warning, or one of these has less than it could or is unknown.");
        return Command.configured(spec, (invocation, config) -> {
            NodeInventory inventory = host(config).inventory();
            var xids = new XidLog(config.host().root()).history();
            invocation.print(
                    inventory.takenAt(),
                    screen -> InventoryDocument.text(inventory, xids, screen),
                    () -> InventoryDocument.of(inventory, xids));
            return ExitCode.of(Severity.worst(Stream.concat(
                    Stream.of(ChannelStatus.of(inventory).status().severity()),
                    inventory.findings().stream().map(Finding::severity))));
        });
    }

    Command check() {
        var spec = Command.printing(
                "check",
                "Check every precondition of serving, with a remedy for each that fails.",
                CheckOutput.EXIT_CODES);
        return Command.configured(spec, (invocation, config) -> {
            var checks = new Preconditions(
                            host(config),
                            () -> collaborators.process().api(config, "imex-agent-check", ApiObserver.NONE),
                            Path.of("/proc"),
                            ThisProcess.closed())
                    .run();
            return CheckOutput.print(collaborators.process().clock().instant(), checks, invocation);
        });
    }

    Command health() {
        var spec = Command.printing(
                "health",
                "Check the host's nvidia-imex once, reading only: its daemon, its domain with the connections"
                        + " between the nodes, and one verdict with the likely cause and the next step.",
                "Ends with " + ExitCode.FAILED.number() + " where no workload of this node can use it, with "
                        + ExitCode.WARNINGS.number() + " where the domain is degraded or its state is unknown.");
        return Command.configured(spec, (invocation, config) -> {
            LocalHost host = host(config);
            ImexHealth health = host.imex(host.inventory());
            invocation.print(health.at(), screen -> ImexDocument.text(health, screen), () -> ImexDocument.of(health));
            return ExitCode.of(health.verdict().severity());
        });
    }

    Command provision() {
        var spec = Command.described(
                        "provision",
                        "Install nvidia-imex and enable its unit, on every host of a configured vendor, one that builds"
                                + " images included. The unit is not started; at boot the gate decides. Running it"
                                + " again changes nothing.",
                        "Prints a line with \"changed: \" for every change. Ends with 0 where the host is as it should"
                                + " be, with 1 where it could not be made so.")
                .addOption(GlobalOptions.toggle(
                        "Change nothing; end with " + ExitCode.CHANGES_NEEDED.number()
                                + " where something would be changed.",
                        CHECK))
                .addOption(GlobalOptions.toggle("Change nothing; print the commands that would be run.", DRY_RUN))
                .addOption(GlobalOptions.toggle("Leave a host without an NVIDIA GPU alone.", ONLY_WITH_GPU));
        return Command.configured(spec, (invocation, config) -> {
            boolean check = invocation.has(CHECK);
            boolean change = !check && !invocation.has(DRY_RUN);
            ProvisionResult outcome = collaborators
                    .provisioner()
                    .provision(config, change, invocation.has(ONLY_WITH_GPU), invocation.out()::println);
            return switch (outcome) {
                case NOTHING_TO_DO, CHANGED -> ExitCode.OK;
                case WOULD_CHANGE -> check ? ExitCode.CHANGES_NEEDED : ExitCode.OK;
                case FAILED -> ExitCode.FAILED;
            };
        });
    }

    private LocalHost host(AgentConfig config) {
        return new LocalHost(config, collaborators.process());
    }
}
