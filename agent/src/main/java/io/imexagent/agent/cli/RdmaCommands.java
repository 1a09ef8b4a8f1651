package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RuntimeProbe;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.report.RdmaChecks;
import io.imexagent.rdma.report.RdmaDocument;
import io.imexagent.rdma.report.RdmaPeer;
import io.imexagent.rdma.report.RdmaText;
import io.imexagent.rdma.watch.NodeAddresses;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RecordingFiles;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Model.OptionSpec;

/** The commands {@code imex-agent rdma}. */
record RdmaCommands(Collaborators collaborators) {

    /** How long to wait for the files of the devices; slow firmware takes seconds. */
    private static final Duration SCAN = Duration.ofSeconds(20);

    private static final String PEER = "--peer";
    private static final String TO = "--to";
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");
    private static final NodeAddresses.Pauses PAUSES =
            new NodeAddresses.Pauses(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(1));

    Command show() {
        var spec = Command.printing(
                        "show", "Show every RDMA NIC of this node: what it is for, whether it is offered, and why not.")
                .addOption(peer());
        return Command.configured(spec, (invocation, config) -> {
            RdmaView read = read(config);
            RdmaView view =
                    peer(invocation, config).map(peer -> peer.applied(read)).orElse(read);
            invocation.print(view.takenAt(), screen -> RdmaText.of(view, screen), () -> RdmaDocument.of(view));
            return ExitCode.OK;
        });
    }

    Command check() {
        var spec = Command.printing(
                        "check",
                        "Check every precondition of handing RDMA NICs to containers, with a remedy for each that"
                                + " fails.",
                        CheckOutput.EXIT_CODES)
                .addOption(peer());
        return Command.configured(spec, (invocation, config) -> {
            Optional<NetdevSupport> netdev = config.rdma()
                    .runtime()
                    .map(program -> new RuntimeProbe(() -> Optional.of(program), ArpHook.INSTALLED).read());
            RdmaView view = read(config);
            return CheckOutput.print(view.takenAt(), RdmaChecks.of(view, netdev, peer(invocation, config)), invocation);
        });
    }

    Command summary() {
        var spec = Command.printing(
                        "summary",
                        "Print the rails of this node, NCCL's settings, and the line to paste on the other" + " node.")
                .addOption(peer());
        return Command.configured(spec, (invocation, config) -> {
            RdmaView read = read(config);
            Optional<RdmaPeer> peer = peer(invocation, config);
            RdmaView view = peer.map(one -> one.applied(read)).orElse(read);
            Optional<RdmaPeer.Difference> difference = peer.map(one -> one.difference(read.selection()));
            invocation.print(
                    view.takenAt(),
                    screen -> RdmaText.summary(view, difference, screen),
                    () -> RdmaDocument.summary(view, difference));
            return view.selection().rails().isEmpty() ? ExitCode.FAILED : ExitCode.OK;
        });
    }

    Command snapshot() {
        var spec = Command.described(
                        "snapshot",
                        "Write what was read of the RDMA devices, for support: the records, the files of sysfs and"
                                + " procfs behind them, and what in them leads NCCL astray. One JSON document, without"
                                + " secrets.",
                        "With --to it prints what it found wrong. " + CheckOutput.EXIT_CODES)
                .addOption(GlobalOptions.file(TO, "FILE", "Where to write the bundle. Default: standard output."));
        return Command.configured(spec, (invocation, config) -> {
            var files = new RecordingFiles(new RootedFiles(config.host().root()));
            RdmaView view = read(config, files);
            List<CheckResult> lint = RdmaChecks.lint(view);
            String bundle = Documents.json(view.takenAt(), bundle(view, lint, files.answers(), config));
            Optional<Path> file = invocation.option(TO, Path.class);
            if (file.isEmpty()) {
                invocation.out().print(bundle);
                return ExitCode.OK;
            }
            new DurableFiles(FileSteps.ALL_PASS, "")
                    .replace(file.get().toAbsolutePath(), bundle.getBytes(StandardCharsets.UTF_8), OWNER);
            invocation.out().print(CheckOutput.table(lint, invocation.screen()));
            invocation.out().println("written to " + file.get());
            return CheckOutput.exitCode(lint);
        });
    }

    private RdmaView read(AgentConfig config) throws IOException, InterruptedException {
        return read(config, new RootedFiles(config.host().root()));
    }

    private RdmaView read(AgentConfig config, HostFiles files) throws IOException, InterruptedException {
        ThisProcess process = collaborators.process();
        var gpus = new LocalHost(config, process).inventory().gpus();
        KnownAddresses addresses = nodeAddresses(config);
        try (var worker = new Worker("rdma-scan", 1, WorkerObserver.NONE, process.nanoTime())) {
            return new BoundedCall<RdmaView>(worker, SCAN)
                    .result(() -> RdmaView.read(new RdmaProbe(files), process.clock(), gpus, addresses, config.rdma()))
                    .orElseThrow(() -> new IOException("files below /sys do not answer within " + SCAN.toSeconds()
                            + " s; look at the kernel log for hung tasks"));
        } catch (ExecutionException failure) {
            throw new IOException(Worker.reason(failure), failure.getCause());
        }
    }

    /** Reads nodes' addresses from the cluster with the agent's credentials, for a few seconds at most. */
    private KnownAddresses nodeAddresses(AgentConfig config) {
        try (KubernetesApi api = collaborators.process().api(config, "imex-agent-rdma", ApiObserver.NONE);
                var addresses = new NodeAddresses(api.nodes(), config.nodeName(), PAUSES, () -> {})) {
            addresses.start();
            return addresses.current();
        }
    }

    private ObjectNode bundle(
            RdmaView view, List<CheckResult> lint, RecordingFiles.RecordedFiles files, AgentConfig config) {
        ObjectNode bundle = JsonTrees.object()
                .put("kind", "imex-agent rdma snapshot")
                .put("version", collaborators.process().version())
                .put("node", config.nodeName());
        bundle.set("rdma", RdmaDocument.of(view));
        CheckOutput.write(lint, bundle.putArray("lint"));
        texts(bundle.putObject("files"), files.texts());
        texts(bundle.putObject("links"), files.links());
        ObjectNode folders = bundle.putObject("folders");
        new TreeMap<>(files.folders()).forEach((path, names) -> {
            var array = folders.putArray("/" + path);
            names.stream().sorted().forEach(array::add);
        });
        texts(bundle.putObject("unreadable"), files.failures());
        ObjectNode programs = bundle.putObject("programs");
        files.programs().forEach(programs::put);
        return bundle;
    }

    private static void texts(ObjectNode into, Map<String, String> texts) {
        new TreeMap<>(texts).forEach((path, text) -> into.put("/" + path, text.stripTrailing()));
    }

    private static OptionSpec peer() {
        return GlobalOptions.value(
                PEER,
                RdmaPeer.class,
                text -> RdmaPeer.parse(GlobalOptions.given(text)),
                "LIST",
                "The NICs of the other node, by interface or RDMA device, separated by commas or blanks, as its"
                        + " 'rdma summary' prints them. Beats rdma.peer.");
    }

    private static Optional<RdmaPeer> peer(Invocation invocation, AgentConfig config) {
        return invocation
                .option(PEER, RdmaPeer.class)
                .or(() -> Optional.of(config.rdma().peer())
                        .filter(names -> !names.isEmpty())
                        .map(names -> new RdmaPeer(Set.copyOf(names))));
    }
}
