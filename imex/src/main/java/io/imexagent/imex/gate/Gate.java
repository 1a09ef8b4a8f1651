package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.files.FileFault;
import io.imexagent.imex.gate.GateVerdict.Closed;
import io.imexagent.imex.gate.GateVerdict.GateCause;
import io.imexagent.imex.gate.GateVerdict.Open;
import io.imexagent.imex.gate.GateVerdict.Undetermined;
import io.imexagent.imex.probe.Machine;
import io.imexagent.imex.probe.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether nvidia-imex should run here. The checks, each made only if those before it do not decide: is the gate
 * on, is the vendor listed, is there a GPU that supports IMEX (by its PCI device, or otherwise by its name or NVLink
 * fabric in NVML), is the driver up. Ends within ten seconds of the start of the process, whatever the driver does.
 */
public final class Gate {

    /** How long the gate waits for the driver of a GPU that supports IMEX, and for a fabric to register GPUs. */
    static final Duration PATIENCE = Duration.ofSeconds(8);

    /** The time for the whole decision; the rest of the ten seconds is for the end of the process on a busy machine. */
    static final Duration LIMIT = Duration.ofSeconds(9);

    private static final Duration LOOK = Duration.ofMillis(100);

    /** The time between two queries to NVML, each of which opens the driver. */
    private static final Duration LOOK_AT_FABRIC = Duration.ofSeconds(1);

    /**
     * Data-centre GPUs that do not support IMEX, by PCI device: a failure of their driver must not fail the unit, and
     * the gate does not wait for the fabric of an HGX. Names and IDs are those of open-gpu-kernel-modules (README) and
     * pci.ids.
     */
    private static final Map<String, String> WITHOUT_IMEX = Map.ofEntries(
            Map.entry("2901", "NVIDIA B200"),
            Map.entry("2909", "NVIDIA B200"),
            Map.entry("3182", "NVIDIA B300"),
            Map.entry("2330", "NVIDIA H100"),
            Map.entry("2331", "NVIDIA H100"),
            Map.entry("2339", "NVIDIA H100"),
            Map.entry("2321", "NVIDIA H100"),
            Map.entry("2335", "NVIDIA H200"),
            Map.entry("233b", "NVIDIA H200"),
            Map.entry("2329", "NVIDIA H20"),
            Map.entry("232c", "NVIDIA H20"),
            Map.entry("2322", "NVIDIA H800"),
            Map.entry("2324", "NVIDIA H800"),
            Map.entry("233a", "NVIDIA H800"));

    private final ImexServiceSettings service;
    private final Questions host;

    Gate(ImexServiceSettings service, Questions host) {
        this.service = service;
        this.host = host;
    }

    /**
     * Creates the gate of a host with its {@code proc} and {@code sys} below the root. NVML is queried only if PCI
     * devices do not decide; the query may block for ever. The age of the process counts towards the gate's time.
     */
    public Gate(Path root, ImexServiceSettings service, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, Duration age) {
        this(service, new HostQuestions(root, nvml, nanoTime, age));
    }

    /** The queries to a host, from the cheapest to the most expensive. */
    interface Questions {

        /** The machine as sysfs describes it before a driver is loaded. */
        Machine machine();

        /** The machine's vendor in its DMI table; empty if the table has none. */
        default Optional<String> vendor() throws IOException {
            return machine().vendor();
        }

        default List<PciGpu> pciGpus() throws IOException {
            return machine().gpus();
        }

        /** Whether the kernel's module of the driver has registered its devices. */
        boolean driverUp() throws IOException;

        /** NVML's report on driver and GPUs; a failing driver if the query takes longer than {@code within}. */
        NvmlFacts nvml(Duration within) throws InterruptedException;

        void pause(Duration time) throws InterruptedException;

        /** The time that the gate has run, including the start of its process. */
        Duration elapsed();
    }

    public GateVerdict ask() throws InterruptedException {
        try {
            return decide();
        } catch (IOException failure) {
            return new Undetermined("the host cannot be read: " + FileFault.reason(failure)
                    + "; run it as root, with /proc and /sys of the host");
        }
    }

    private GateVerdict decide() throws IOException, InterruptedException {
        if (!service.gate()) {
            return new Closed(
                    GateCause.SWITCHED_OFF,
                    "switched off: imex.service.gate is false, the start of nvidia-imex is not gated");
        }
        Optional<String> vendor = host.vendor();
        if (!service.vendors().isEmpty()
                && vendor.filter(service.vendors()::contains).isEmpty()) {
            return new Closed(
                    GateCause.VENDOR,
                    "vendor not in the list: this machine is by "
                            + vendor.map(name -> '"' + name + '"').orElse("an unknown vendor")
                            + ", imex.service.vendors has "
                            + service.vendors().stream()
                                    .map(name -> '"' + name + '"')
                                    .collect(Collectors.joining(", ")));
        }
        List<PciGpu> onBus = host.pciGpus();
        if (onBus.isEmpty()) {
            return new Closed(GateCause.NO_GPU, "no GPU: there is no NVIDIA GPU on the PCI bus");
        }
        // A GPU bound to another driver, such as vfio-pci, mostly belongs to a virtual machine.
        List<PciGpu> gpus = onBus.stream().filter(PciGpu::isForNvidia).toList();
        if (gpus.isEmpty()) {
            return new Closed(
                    GateCause.NO_GPU,
                    "no GPU: each NVIDIA GPU on the PCI bus was given to another driver ("
                            + onBus.stream()
                                    .flatMap(gpu -> gpu.driver().stream())
                                    .distinct()
                                    .collect(Collectors.joining(", "))
                            + ")");
        }
        Optional<PciGpu> listed = listed(gpus, service);
        return listed.isPresent() ? awaitDriver(listed.get()) : askNvml(gpus);
    }

    /** The first GPU that supports IMEX by its PCI device. */
    static Optional<PciGpu> listed(List<PciGpu> gpus, ImexServiceSettings service) {
        List<String> devices = service.pciDevices().stream()
                .map(device -> device.toLowerCase(Locale.ROOT))
                .toList();
        return gpus.stream().filter(gpu -> devices.contains(gpu.device())).findFirst();
    }

    private GateVerdict awaitDriver(PciGpu gpu) throws IOException, InterruptedException {
        while (!host.driverUp()) {
            if (host.elapsed().compareTo(PATIENCE) >= 0) {
                return new Closed(
                        GateCause.NO_DRIVER,
                        "no driver: GPU 10de:" + gpu.device() + " at " + gpu.address()
                                + " supports IMEX, but its driver was not up within " + PATIENCE.toSeconds()
                                + " s; once it is: systemctl start nvidia-imex");
            }
            host.pause(LOOK);
        }
        return new Open("GPU 10de:" + gpu.device() + " at " + gpu.address() + " supports IMEX, its driver is up");
    }

    /** Decides on GPUs that are not listed. For unknown ones only the driver has more: the name and the fabric. */
    private GateVerdict askNvml(List<PciGpu> onBus) throws InterruptedException {
        List<PciGpu> without = onBus.stream()
                .filter(gpu -> WITHOUT_IMEX.containsKey(gpu.device()))
                .toList();
        // For an operator's own list of names the gate needs the names, which only the driver reports.
        if (without.size() == onBus.size() && namesAreUsual()) {
            return new Closed(
                    GateCause.NOT_CAPABLE, withoutImex(without.stream().map(gpu -> WITHOUT_IMEX.get(gpu.device()))));
        }
        GpuLists answers = new GpuLists(
                onBus.stream().map(gpu -> "10de:" + gpu.device()).distinct().collect(Collectors.joining(", ")),
                addresses(onBus),
                addresses(without));
        GateVerdict verdict = judge(host.nvml(left()), answers);
        while (verdict instanceof Closed(GateCause cause, String _, boolean _)
                && cause == GateCause.FABRIC_NOT_READY
                && host.elapsed().compareTo(PATIENCE) < 0) {
            host.pause(LOOK_AT_FABRIC);
            NvmlFacts next = host.nvml(left());
            // If little time is left, a missing answer is not the driver's fault: its last answer stands.
            if (!(next.driver() instanceof DriverState.LoadedDriver)) {
                return verdict;
            }
            verdict = judge(next, answers);
        }
        return verdict;
    }

    private Duration left() {
        return LIMIT.minus(host.elapsed());
    }

    private static Set<PciAddress> addresses(List<PciGpu> gpus) {
        return gpus.stream()
                .flatMap(gpu -> PciAddress.parse(gpu.address()).stream())
                .collect(Collectors.toSet());
    }

    /** The GPUs of NVML's answers: PCI devices for a message, addresses, and addresses of GPUs without IMEX. */
    private record GpuLists(String devices, Set<PciAddress> onBus, Set<PciAddress> without) {

        /**
         * The GPUs that their PCI device does not rule out. A lost GPU has one of the addresses that no other GPU
         * reports.
         */
        List<Gpu> open(List<Gpu> gpus) {
            Set<PciAddress> left = new HashSet<>(onBus);
            gpus.forEach(gpu -> gpu.pci().ifPresent(left::remove));
            boolean lostAreWithout = !left.isEmpty() && without.containsAll(left);
            return gpus.stream()
                    .filter(gpu -> !gpu.pci().map(without::contains).orElse(lostAreWithout))
                    .toList();
        }
    }

    private GateVerdict judge(NvmlFacts facts, GpuLists answers) {
        return switch (facts.driver()) {
            case DriverState.AbsentDriver(String reason) ->
                new Closed(
                        GateCause.NO_DRIVER,
                        "no driver: " + answers.devices()
                                + " is not in imex.service.pciDevices, and its name and fabric"
                                + " are unknown without a driver: " + reason);
            case DriverState.FailingDriver(String reason) ->
                new Undetermined(
                        "NVML does not say what " + answers.devices() + " is: " + reason
                                + facts.findings().stream()
                                        .findFirst()
                                        .map(finding -> "; " + finding.remedy())
                                        .orElse(""),
                        true);
            case DriverState.LoadedDriver _ -> judge(facts.gpus(), answers);
        };
    }

    private GateVerdict judge(List<Gpu> gpus, GpuLists answers) {
        List<Gpu> open = answers.open(gpus);
        List<Gpu> inFabric = service.allowFabric() ? open : List.of();
        Optional<String> capable = Stream.concat(
                        gpus.stream().filter(this::isNamed).map(gpu -> "GPU " + gpu.name()),
                        inFabric.stream()
                                .flatMap(gpu -> gpu.clique().stream()
                                        .map(clique -> "GPU " + gpu.name() + " in the NVLink fabric " + clique.text())))
                .findFirst();
        if (capable.isPresent()) {
            return new Open(capable.get() + " supports IMEX");
        }
        if (gpus.isEmpty()) {
            return new Closed(
                    GateCause.NO_GPU, "no GPU: none of " + answers.devices() + " is bound to the NVIDIA driver", true);
        }
        for (Gpu gpu : inFabric) {
            if (gpu.fabric() instanceof Gpu.GpuFabric.FabricRegistering(String state)) {
                return new Closed(
                        GateCause.FABRIC_NOT_READY,
                        "fabric not ready: " + gpu.title() + " did not complete its registration in the NVLink fabric"
                                + " within " + PATIENCE.toSeconds() + " s (" + state
                                + "); once it has: systemctl start nvidia-imex");
            }
        }
        boolean unread = (namesAreUsual() ? open : gpus)
                .stream().anyMatch(gpu -> gpu.name().isEmpty());
        if (unread) {
            return new Undetermined(
                    "NVML does not report the name of " + answers.devices()
                            + "; look at the kernel log for NVRM and Xid messages",
                    true);
        }
        List<String> names =
                gpus.stream().map(Gpu::name).filter(name -> !name.isEmpty()).toList();
        return new Closed(
                GateCause.NOT_CAPABLE,
                withoutImex(names.isEmpty() ? Stream.of(answers.devices()) : names.stream()) + fabric(inFabric),
                inFabric.stream().anyMatch(Gate::mayRegister));
    }

    private boolean namesAreUsual() {
        return service.gpuNames().equals(ImexServiceSettings.GPU_NAMES);
    }

    /** A text on the fabric of GPUs that do not open the gate: the reason of one whose fabric failed or is unknown. */
    private String fabric(List<Gpu> gpus) {
        if (!service.allowFabric()) {
            return "";
        }
        Optional<String> unknown = gpus.stream()
                .flatMap(gpu -> gpu.fabric() instanceof Gpu.GpuFabric.FabricUnknown(var _, String reason)
                        ? Stream.of(", and NVML does not tell its NVLink fabric; " + gpu.title() + ": " + reason)
                        : Stream.empty())
                .findFirst();
        return unknown.orElseGet(() -> ", and is in no multi-node NVLink fabric"
                + gpus.stream()
                        .flatMap(gpu -> gpu.fabric() instanceof Gpu.GpuFabric.FabricFailed(String reason)
                                ? Stream.of("; " + gpu.title() + ": " + reason)
                                : Stream.empty())
                        .findFirst()
                        .orElse(""));
    }

    /** Whether a later query may find the GPU registered; not if the driver is too old for the query. */
    private static boolean mayRegister(Gpu gpu) {
        return switch (gpu.fabric()) {
            case Gpu.GpuFabric.FabricFailed _, Gpu.GpuFabric.FabricRegistering _ -> true;
            case Gpu.GpuFabric.FabricUnknown(var cause, String _) ->
                cause != Gpu.GpuFabric.FabricUnknown.UnknownCause.UNASKABLE;
            case Gpu.GpuFabric.NoFabric _, Gpu.GpuFabric.FabricRegistered _ -> false;
        };
    }

    private static String withoutImex(Stream<String> names) {
        return "GPU without IMEX: " + names.distinct().collect(Collectors.joining(", "))
                + " matches neither imex.service.gpuNames nor imex.service.pciDevices";
    }

    private boolean isNamed(Gpu gpu) {
        return !service.gpuNames().isEmpty()
                && Pattern.compile(service.gpuNames()).matcher(gpu.name()).find();
    }
}
