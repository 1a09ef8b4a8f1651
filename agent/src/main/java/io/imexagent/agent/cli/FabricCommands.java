package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildProgram;
import io.imexagent.fabric.local.ChannelPair;
import io.imexagent.fabric.local.ChannelPair.ChannelChoice;
import io.imexagent.fabric.local.IsolatedChildren;
import io.imexagent.fabric.local.LocalChildren;
import io.imexagent.fabric.local.LocalResult;
import io.imexagent.fabric.local.LocalResult.GpuResult;
import io.imexagent.fabric.local.LocalTest;
import io.imexagent.fabric.local.TestedGpu;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** The commands {@code imex-agent fabric}. */
record FabricCommands(Collaborators collaborators) {

    private static final String LEVEL = "--level";
    private static final String GPU = "--gpu";
    private static final String CHANNELS = "--channels";
    private static final String EXIT_CODES =
            "Exit codes: 0 all is proven; 3 what was tried is proven, and some was not tried; 1 a failure; 2 the command"
                    + " line is wrong.";

    /** The line of cgroups(7) of a process in the agent's systemd unit. */
    private static final Pattern AGENTS_UNIT = Pattern.compile("/imex-agent\\.service(/|$)", Pattern.MULTILINE);

    Command local() {
        var spec = Command.printing(
                        "local",
                        "Prove with memory of each GPU of this host that IMEX channels work, and that they separate"
                                + " workloads: what is exported on one channel must be imported on the same, and must be"
                                + " refused on another and without any. Needs root; leaves nothing behind.",
                        "It proves nothing of nvidia-imex or of other nodes.",
                        EXIT_CODES)
                .addOption(GlobalOptions.choice(
                        FabricLevel.class,
                        "LEVEL",
                        "How far an import is taken: ${COMPLETION-CANDIDATES}. Default: map. Only data"
                                + " creates CUDA contexts, and writes and reads memory.",
                        LEVEL))
                .addOption(GlobalOptions.text(GPU, "GPU", "Test one GPU only, by its index, UUID or PCI address."))
                .addOption(GlobalOptions.text(
                        CHANNELS,
                        "A,B",
                        "The two channels to test with. Default: 256,257, which no workload has. Name others, never 0,"
                                + " only on a node without workloads."));
        return Command.configured(spec, this::local);
    }

    private ExitCode local(Invocation invocation, AgentConfig config) throws IOException, InterruptedException {
        Optional<String> refusal = refusal();
        if (refusal.isPresent()) {
            invocation.warn(refusal.get());
            return ExitCode.FAILED;
        }
        NodeInventory node = new LocalHost(config, collaborators.process()).inventory();
        Optional<String> wanted = invocation.option(GPU, String.class);
        List<Gpu> chosen = node.gpus().stream()
                .filter(gpu -> wanted.map(name -> isNamed(gpu, name)).orElse(true))
                .toList();
        ChannelChoice choice;
        try {
            choice = ChannelPair.choose(
                    node.channelMajor(), node.channelCount(), invocation.option(CHANNELS, String.class));
        } catch (IllegalArgumentException wrong) {
            invocation.warn(String.valueOf(wrong.getMessage()));
            return ExitCode.USAGE;
        }
        if (wanted.isPresent() && chosen.isEmpty()) {
            invocation.warn("--gpu " + wanted.get() + " is no GPU of this host; imex-agent probe lists them");
            return ExitCode.USAGE;
        }
        FabricLevel level = invocation.option(LEVEL, FabricLevel.class).orElse(FabricLevel.MAP);
        LocalResult result = node.simulated()
                ? notTried(level, chosen, "NVML is simulated (nvml.simulate), and no GPU is there")
                : switch (choice) {
                    case ChannelChoice.NoChannels(String reason) -> notTried(level, chosen, reason);
                    case ChannelChoice.Chosen(ChannelPair channels) ->
                        test(invocation, config, level, channels, chosen);
                };
        if (chosen.isEmpty()) {
            node.findings().forEach(finding -> invocation.warn(finding.message()));
        }
        invocation.print(collaborators.process().clock().instant(), screen -> result.text(), result::document);
        return switch (result.state()) {
            case PROVEN -> ExitCode.OK;
            case NOT_TRIED -> ExitCode.WARNINGS;
            case TIMEOUT, FAILED, ISOLATION_BROKEN -> ExitCode.FAILED;
        };
    }

    /** Why this process must not run the test; empty if it may. */
    private static Optional<String> refusal() throws IOException {
        if (AGENTS_UNIT.matcher(Files.readString(Path.of("/proc/self/cgroup"))).find()) {
            return Optional.of(
                    "fabric local does not run inside the agent's unit, which must never load libcuda; run it"
                            + " from a shell of root");
        }
        return ThisProcess.isRoot()
                ? Optional.empty()
                : Optional.of(
                        "fabric local needs root, to make device nodes that only its own processes see; run it with"
                                + " sudo");
    }

    private static boolean isNamed(Gpu gpu, String name) {
        return name.equals(Integer.toString(gpu.index()))
                || name.equals(gpu.uuid())
                || gpu.pci().filter(address -> address.toString().equals(name)).isPresent();
    }

    private static LocalResult notTried(FabricLevel level, List<Gpu> gpus, String reason) {
        return new LocalResult(
                level,
                gpus.stream()
                        .map(gpu -> new GpuResult(TestedGpu.of(gpu.title(), gpu.uuid()), List.of(), reason))
                        .toList());
    }

    private LocalResult test(
            Invocation invocation, AgentConfig config, FabricLevel level, ChannelPair channels, List<Gpu> gpus)
            throws IOException, InterruptedException {
        var isolated = new IsolatedChildren(
                ChildProgram.ofThisProcess(), channels.major(), Path.of("/dev"), IsolatedChildren.FOLDERS);
        if (!isolated.missing().isEmpty()) {
            throw new IOException("fabric local needs " + String.join(", ", isolated.missing())
                    + ", which this host lacks; install the packages in brackets");
        }
        List<TestedGpu> tested = read(config, gpus);
        try (var children = new LocalChildren(isolated, config.host().driverRoot(), ChildDeadlines.USUAL)) {
            return new LocalTest(children, channels, level, new SecureRandom(), invocation::warn).run(tested);
        }
    }

    /** Reads from NVML what the test needs of the GPUs in addition to the inventory. */
    private List<TestedGpu> read(AgentConfig config, List<Gpu> gpus) throws IOException, InterruptedException {
        ThisProcess process = collaborators.process();
        Nvml nvml = LocalHost.nvml(config.host(), config.nvml(), process, true);
        try (var worker = new Worker("nvml-memory", 1, WorkerObserver.NONE, process.nanoTime())) {
            return new BoundedCall<List<TestedGpu>>(worker, config.nvml().deadline())
                    .result(() -> read(nvml, gpus))
                    .orElseThrow(() -> new IOException("NVML does not answer within "
                            + config.nvml().deadline().toSeconds() + " s; look at the kernel log for NVRM and Xid"));
        } catch (ExecutionException failure) {
            throw new IOException(Worker.reason(failure), failure.getCause());
        }
    }

    private static List<TestedGpu> read(Nvml nvml, List<Gpu> gpus) throws NvmlException {
        List<TestedGpu> tested = new ArrayList<>();
        try (NvmlSession session = nvml.open()) {
            for (Gpu gpu : gpus) {
                NvmlDevice device = session.device(gpu.index());
                tested.add(new TestedGpu(
                        gpu.title(),
                        gpu.uuid(),
                        device.freeMemory(),
                        device.divided(),
                        gpu.health().recoveryAction().filter(action -> !action.equals(GpuHealth.NO_ACTION))));
            }
        }
        return tested;
    }
}
