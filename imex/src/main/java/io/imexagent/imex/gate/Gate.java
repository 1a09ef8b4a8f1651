package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.imex.gate.GateVerdict.Cause;
import io.imexagent.imex.gate.GateVerdict.Closed;
import io.imexagent.imex.gate.GateVerdict.Open;
import io.imexagent.imex.gate.GateVerdict.Undetermined;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Decides whether nvidia-imex should run here. The questions, each only where those before it leave it open: is the gate
 * on, is the vendor meant, is there a GPU that takes IMEX (by its PCI device, or else by what NVML says of it), is the
 * driver up. Ends within ten seconds of the start of the process, whatever the driver does.
 */
final class Gate {

    /** How long a driver may still come up whose GPU is known to take IMEX. */
    static final Duration DRIVER_PATIENCE = Duration.ofSeconds(8);

    /** All of it; what is left of the ten seconds is for the end of the process, on a machine that is busy. */
    static final Duration LIMIT = Duration.ofSeconds(9);

    private static final Duration LOOK = Duration.ofMillis(100);

    private final GateRule rule;
    private final GateQuestions host;

    Gate(GateRule rule, GateQuestions host) {
        this.rule = rule;
        this.host = host;
    }

    GateVerdict ask() throws InterruptedException {
        try {
            return decide();
        } catch (IOException failure) {
            return new Undetermined(
                    "the host cannot be read: " + failure.getClass().getSimpleName() + ": " + failure.getMessage()
                            + "; run it as root, with /proc and /sys of the host");
        }
    }

    private GateVerdict decide() throws IOException, InterruptedException {
        if (!rule.on()) {
            return new Closed(
                    Cause.SWITCHED_OFF,
                    "switched off: imex.service.gate is false, the start of nvidia-imex is not gated");
        }
        Optional<String> vendor = host.vendor();
        if (!rule.takesVendor(vendor)) {
            return new Closed(
                    Cause.VENDOR,
                    "vendor not in the list: this machine is by "
                            + vendor.map(name -> '"' + name + '"').orElse("an unknown vendor")
                            + ", imex.service.vendors has "
                            + rule.vendors().stream()
                                    .map(name -> '"' + name + '"')
                                    .collect(Collectors.joining(", ")));
        }
        List<PciGpu> gpus = host.pciGpus();
        if (gpus.isEmpty()) {
            return new Closed(Cause.NO_GPU, "no GPU: there is no NVIDIA GPU on the PCI bus");
        }
        Optional<PciGpu> listed = rule.listed(gpus);
        return listed.isPresent() ? awaitDriver(listed.get()) : askNvml(gpus);
    }

    private GateVerdict awaitDriver(PciGpu gpu) throws IOException, InterruptedException {
        while (!host.driverUp()) {
            if (host.elapsed().compareTo(DRIVER_PATIENCE) >= 0) {
                return new Closed(
                        Cause.NO_DRIVER,
                        "no driver: GPU 10de:" + gpu.device() + " at " + gpu.address()
                                + " takes IMEX, but its driver was not up within " + DRIVER_PATIENCE.toSeconds()
                                + " s; once it is: systemctl start nvidia-imex");
            }
            host.pause(LOOK);
        }
        return new Open("GPU 10de:" + gpu.device() + " at " + gpu.address() + " takes IMEX, its driver is up");
    }

    /** None is listed. Only the driver can tell more, by name or fabric. */
    private GateVerdict askNvml(List<PciGpu> onBus) throws InterruptedException {
        NvmlWords told = host.nvml(LIMIT.minus(host.elapsed()));
        return switch (told.driver()) {
            case DriverState.Absent absent ->
                new Closed(
                        Cause.NO_DRIVER,
                        "no driver: " + devices(onBus) + " is not in imex.service.pciDevices, and without a driver"
                                + " nothing tells its name: " + absent.reason());
            case DriverState.Failing failing ->
                new Undetermined("NVML does not tell what " + devices(onBus) + " is: " + failing.reason());
            case DriverState.Loaded loaded -> byName(told.gpus(), onBus);
        };
    }

    private GateVerdict byName(List<Gpu> gpus, List<PciGpu> onBus) {
        Optional<String> capable =
                gpus.stream().flatMap(gpu -> rule.capable(gpu).stream()).findFirst();
        if (capable.isPresent()) {
            return new Open(capable.get() + " takes IMEX");
        }
        if (gpus.isEmpty()) {
            return new Closed(Cause.NO_GPU, "no GPU: the driver has none of " + devices(onBus) + " in its hands");
        }
        boolean unread = gpus.stream().anyMatch(gpu -> gpu.name().isEmpty());
        return unread
                ? new Undetermined("NVML does not tell the name of " + devices(onBus)
                        + "; look at the kernel log for NVRM and Xid messages")
                : new Closed(
                        Cause.NOT_CAPABLE,
                        "GPU without IMEX: "
                                + gpus.stream().map(Gpu::name).distinct().collect(Collectors.joining(", "))
                                + " matches neither imex.service.gpuNames nor imex.service.pciDevices");
    }

    private static String devices(List<PciGpu> gpus) {
        return gpus.stream().map(gpu -> "10de:" + gpu.device()).distinct().collect(Collectors.joining(", "));
    }
}
