package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.imex.gate.Gate.GateVerdict.Cause;
import io.imexagent.imex.gate.Gate.GateVerdict.Closed;
import io.imexagent.imex.gate.Gate.GateVerdict.Open;
import io.imexagent.imex.gate.Gate.GateVerdict.Undetermined;
import io.imexagent.imex.gate.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Decides whether nvidia-imex should run here. The questions, each only where those before it leave it open: is the gate
 * on, is the vendor meant, is there a GPU that supports IMEX (by its PCI device, or else by what NVML says of it), is
 * the driver up. Ends within ten seconds of the start of the process, whatever the driver does.
 */
public final class Gate {

    /** How long a driver may still come up whose GPU is known to support IMEX. */
    static final Duration DRIVER_PATIENCE = Duration.ofSeconds(8);

    /** All of it; what is left of the ten seconds is for the end of the process, on a machine that is busy. */
    static final Duration LIMIT = Duration.ofSeconds(9);

    private static final Duration LOOK = Duration.ofMillis(100);

    /**
     * GPUs of data centres without IMEX, by PCI device: so a driver of theirs that fails fails no unit. Names and IDs are
     * those of open-gpu-kernel-modules (README) and pci.ids.
     */
    private static final Map<String, String> WITHOUT_IMEX = Map.of(
            "2901", "NVIDIA B200",
            "2909", "NVIDIA B200",
            "3182", "NVIDIA B300",
            "2330", "NVIDIA H100",
            "2331", "NVIDIA H100",
            "2339", "NVIDIA H100",
            "2321", "NVIDIA H100",
            "2335", "NVIDIA H200",
            "233b", "NVIDIA H200");

    private final ImexServiceSettings service;
    private final Questions host;

    Gate(ImexServiceSettings service, Questions host) {
        this.service = service;
        this.host = host;
    }

    /**
     * The gate of a host whose {@code proc} and {@code sys} stand under the root. NVML is asked only where PCI devices
     * do not decide, and may block for ever; the age of the process counts too.
     */
    public Gate(Path root, ImexServiceSettings service, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, Duration age) {
        this(service, new HostQuestions(root, nvml, nanoTime, age));
    }

    /** What the gate may ask of a host, from the cheapest question to the dearest. */
    interface Questions {

        /** The machine, as the kernel shows it without a driver. */
        Machine machine();

        /** The machine's vendor in its DMI table; empty where it has none. */
        default Optional<String> vendor() throws IOException {
            return machine().vendor();
        }

        default List<PciGpu> pciGpus() throws IOException {
            return machine().gpus();
        }

        /** Whether the kernel's module of the driver has registered its devices. */
        boolean driverUp() throws IOException;

        /** What NVML says of driver and GPUs; a driver that fails where that takes longer than it may. */
        NvmlFacts nvml(Duration within) throws InterruptedException;

        void pause(Duration time) throws InterruptedException;

        /** How long ago the gate was asked, the start of its process included. */
        Duration elapsed();
    }

    public GateVerdict ask() throws InterruptedException {
        try {
            return decide();
        } catch (IOException failure) {
            return new Undetermined(
                    "the host cannot be read: " + failure.getClass().getSimpleName() + ": " + failure.getMessage()
                            + "; run it as root, with /proc and /sys of the host");
        }
    }

    private GateVerdict decide() throws IOException, InterruptedException {
        if (!service.gate()) {
            return new Closed(
                    Cause.SWITCHED_OFF,
                    "switched off: imex.service.gate is false, the start of nvidia-imex is not gated");
        }
        Optional<String> vendor = host.vendor();
        if (!service.vendors().isEmpty()
                && vendor.filter(service.vendors()::contains).isEmpty()) {
            return new Closed(
                    Cause.VENDOR,
                    "vendor not in the list: this machine is by "
                            + vendor.map(name -> '"' + name + '"').orElse("an unknown vendor")
                            + ", imex.service.vendors has "
                            + service.vendors().stream()
                                    .map(name -> '"' + name + '"')
                                    .collect(Collectors.joining(", ")));
        }
        List<PciGpu> gpus = host.pciGpus();
        if (gpus.isEmpty()) {
            return new Closed(Cause.NO_GPU, "no GPU: there is no NVIDIA GPU on the PCI bus");
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
            if (host.elapsed().compareTo(DRIVER_PATIENCE) >= 0) {
                return new Closed(
                        Cause.NO_DRIVER,
                        "no driver: GPU 10de:" + gpu.device() + " at " + gpu.address()
                                + " supports IMEX, but its driver was not up within " + DRIVER_PATIENCE.toSeconds()
                                + " s; once it is: systemctl start nvidia-imex");
            }
            host.pause(LOOK);
        }
        return new Open("GPU 10de:" + gpu.device() + " at " + gpu.address() + " supports IMEX, its driver is up");
    }

    /** None is listed. Of those that are not known the driver alone can tell more, by name or fabric. */
    private GateVerdict askNvml(List<PciGpu> onBus) throws InterruptedException {
        // An operator who counts other GPUs goes by names that only the driver knows.
        boolean usual = !service.allowFabric() && service.gpuNames().equals(ImexServiceSettings.GPU_NAMES);
        List<String> without = onBus.stream()
                .flatMap(gpu -> Optional.ofNullable(WITHOUT_IMEX.get(gpu.device())).stream())
                .filter(_ -> usual)
                .toList();
        if (without.size() == onBus.size()) {
            return notCapable(without);
        }
        String devices =
                onBus.stream().map(gpu -> "10de:" + gpu.device()).distinct().collect(Collectors.joining(", "));
        NvmlFacts told = host.nvml(LIMIT.minus(host.elapsed()));
        return switch (told.driver()) {
            case DriverState.Absent(String reason) ->
                new Closed(
                        Cause.NO_DRIVER,
                        "no driver: " + devices + " is not in imex.service.pciDevices, and its name is unknown"
                                + " without a driver: " + reason);
            case DriverState.Failing(String reason) ->
                new Undetermined("NVML does not say what " + devices + " is: " + reason);
            case DriverState.Loaded _ -> byName(told.gpus(), devices);
        };
    }

    private GateVerdict byName(List<Gpu> gpus, String devices) {
        Optional<String> capable =
                gpus.stream().flatMap(gpu -> capable(gpu).stream()).findFirst();
        if (capable.isPresent()) {
            return new Open(capable.get() + " supports IMEX");
        }
        if (gpus.isEmpty()) {
            return new Closed(Cause.NO_GPU, "no GPU: none of " + devices + " is bound to the NVIDIA driver");
        }
        boolean unread = gpus.stream().anyMatch(gpu -> gpu.name().isEmpty());
        return unread
                ? new Undetermined("NVML does not report the name of " + devices
                        + "; look at the kernel log for NVRM and Xid messages")
                : notCapable(gpus.stream().map(Gpu::name).toList());
    }

    private static GateVerdict notCapable(List<String> names) {
        return new Closed(
                Cause.NOT_CAPABLE,
                "GPU without IMEX: " + names.stream().distinct().collect(Collectors.joining(", "))
                        + " matches neither imex.service.gpuNames nor imex.service.pciDevices");
    }

    /** What makes the GPU one that supports IMEX, by its name or its fabric; empty where nothing does. */
    private Optional<String> capable(Gpu gpu) {
        if (!service.gpuNames().isEmpty()
                && Pattern.compile(service.gpuNames()).matcher(gpu.name()).find()) {
            return Optional.of("GPU " + gpu.name());
        }
        return service.allowFabric() && gpu.fabric() instanceof Gpu.Fabric.Registered registered
                ? registered.clique().map(clique -> "GPU " + gpu.name() + " in the NVLink fabric " + clique.text())
                : Optional.empty();
    }

    record HostQuestions(Path root, Machine machine, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, long asked)
            implements Questions {

        HostQuestions(Path root, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, Duration age) {
            this(root, new Machine(root), nvml, nanoTime, nanoTime.getAsLong() - age.toNanos());
        }

        @Override
        public boolean driverUp() throws IOException {
            return driverUp(Files.readString(root.resolve("proc/devices"), StandardCharsets.ISO_8859_1));
        }

        /** Whether the text of {@code /proc/devices} lists character devices of NVIDIA's driver: {@code 195 nvidiactl}. */
        static boolean driverUp(String procDevices) {
            return procDevices
                    .lines()
                    .takeWhile(line -> !line.startsWith("Block devices:"))
                    .map(String::strip)
                    .anyMatch(line -> line.startsWith("nvidia", line.indexOf(' ') + 1));
        }

        /** The thread that asks is lost where the driver hangs; a daemon's thread does not keep the process alive. */
        @Override
        public NvmlFacts nvml(Duration within) throws InterruptedException {
            try {
                return CompletableFuture.supplyAsync(
                                nvml, Thread.ofPlatform().name("gate-nvml").daemon()::start)
                        .get(Math.max(0, within.toMillis()), TimeUnit.MILLISECONDS);
            } catch (TimeoutException hangs) {
                return NvmlFacts.failing("NVML did not answer within " + within.toSeconds()
                        + " s; look at the kernel log for NVRM and Xid messages");
            } catch (ExecutionException defect) {
                return NvmlFacts.failing("reading NVML failed: " + defect.getCause());
            }
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
            Thread.sleep(time);
        }

        @Override
        public Duration elapsed() {
            return Duration.ofNanos(nanoTime.getAsLong() - asked);
        }
    }

    public sealed interface GateVerdict {

        /** The reason in one line, fit for the journal. */
        String reason();

        record Open(String reason) implements GateVerdict {}

        /** It should not: which of the questions said no, what said so, and what would change it. */
        record Closed(Cause cause, String reason) implements GateVerdict {}

        /** It could not be found out; the reason says what was in the way, and what to do. */
        record Undetermined(String reason) implements GateVerdict {}

        /** Why nvidia-imex should not run, in the order in which the questions are asked. */
        enum Cause {
            /** {@code imex.service.gate} is off. */
            SWITCHED_OFF,
            VENDOR,
            NO_GPU,
            NOT_CAPABLE,
            NO_DRIVER
        }
    }
}
