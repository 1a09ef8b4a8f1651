package io.imexagent.agent.runtime;

import io.imexagent.agent.check.Preconditions;
import io.imexagent.agent.cli.Collaborators;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.worker.Worker;
import io.imexagent.dra.worker.WorkerObserver;
import io.imexagent.imex.gate.Gate;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.gate.SkippedStart;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.probe.InventoryReader;
import io.imexagent.imex.probe.NvmlProbe;
import io.imexagent.imex.probe.XidLog;
import io.imexagent.imex.provision.Provisioning;
import io.imexagent.imex.watch.ImexPoll;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpKubernetesApi;
import io.imexagent.rdma.dra.NetdevSupport;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe;
import io.imexagent.rdma.watch.KnownAddresses;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RecordingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads this host once, decides for it, or provisions it, for a command. */
final class LocalHost implements Collaborators.GateSource {

    private static final Duration LONGEST_START = Duration.ofSeconds(8);

    private final ThisProcess process;

    LocalHost(ThisProcess process) {
        this.process = process;
    }

    Collaborators.Probed probe(AgentConfig config) throws InterruptedException {
        return new Collaborators.Probed(inventory(config), new XidLog(config.get(ConfigKeys.HOST_ROOT)).history());
    }

    private NodeInventory inventory(AgentConfig config) throws InterruptedException {
        // A command answers on standard output; only what is wrong is logged beside it.
        Logging.start(AgentConfig.LogLevel.WARN, false);
        Path root = config.get(ConfigKeys.HOST_ROOT);
        try (var worker = new Worker("nvml", 1, WorkerObserver.NONE, process.nanoTime())) {
            return new InventoryReader(
                            root,
                            NvmlChoice.of(config),
                            worker,
                            config.get(ConfigKeys.NVML_DEADLINE),
                            process.clock(),
                            new SkippedStart(root, config::imexService)::finding)
                    .read();
        }
    }

    ImexHealth health(AgentConfig config) throws InterruptedException {
        return look(config, process).look(inventory(config));
    }

    /** The looks at nvidia-imex that this configuration wants. */
    static ImexPoll look(AgentConfig config, ThisProcess process) {
        return new ImexPoll(
                config.imexHealth(),
                config.get(ConfigKeys.HOST_ROOT),
                config.get(ConfigKeys.NODE_NAME),
                config.hostManaged(),
                process.clock());
    }

    List<CheckResult> checks(AgentConfig config) throws InterruptedException {
        Logging.start(AgentConfig.LogLevel.WARN, false);
        var host = new Preconditions.Host() {
            @Override
            public NodeInventory inventory() throws InterruptedException {
                return LocalHost.this.inventory(config);
            }

            @Override
            public ImexHealth imex(NodeInventory inventory) throws InterruptedException {
                return look(config, process).look(inventory);
            }
        };
        return new Preconditions(
                        config,
                        host,
                        () -> new HttpKubernetesApi(
                                ClusterAccess.of(config.get(ConfigKeys.KUBECONFIG)),
                                "imex-agent-check",
                                process.clock(),
                                process.random(),
                                ApiObserver.NONE),
                        Path.of("/proc"))
                .run();
    }

    Collaborators.RdmaReading rdma(AgentConfig config) throws IOException, InterruptedException {
        var files = new RecordingFiles(new RootedFiles(config.get(ConfigKeys.HOST_ROOT)));
        return new Collaborators.RdmaReading(
                new RdmaReader(files, process.clock())
                        .read(inventory(config).gpus(), new KnownAddresses.NotAsked(), config.rdma()),
                files);
    }

    Optional<NetdevSupport> netdev(AgentConfig config) {
        return config.rdma()
                .rails()
                .runtime()
                .map(program -> new RuntimeProbe(() -> Optional.of(program), ArpHook.INSTALLED).look());
    }

    Provisioning.Outcome provision(AgentConfig config, boolean change, Consumer<String> lines)
            throws IOException, InterruptedException {
        var provisioning = new Provisioning(config.imexService(), config.get(ConfigKeys.HOST_ROOT), lines);
        return change ? provisioning.apply() : provisioning.check();
    }

    @Override
    public GateVerdict ask(AgentConfig config) throws InterruptedException {
        return new Gate(
                        config.get(ConfigKeys.HOST_ROOT),
                        config.imexService(),
                        () -> new NvmlProbe(NvmlChoice.atOnce(config)).read(),
                        process.nanoTime(),
                        age())
                .ask();
    }

    @Override
    public Optional<String> leaveWord(AgentConfig config, GateVerdict verdict) {
        return new SkippedStart(config.get(ConfigKeys.HOST_ROOT), config::imexService).leaveWord(verdict);
    }

    /** At boot, when all start at once, a JVM may need a second to begin. A clock that was set meanwhile counts for nothing. */
    private Duration age() {
        Duration age = ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, process.clock().instant()))
                .orElse(Duration.ZERO);
        return age.isNegative() || age.compareTo(LONGEST_START) > 0 ? Duration.ZERO : age;
    }
}
