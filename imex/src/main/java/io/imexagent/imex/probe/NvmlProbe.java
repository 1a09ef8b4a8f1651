package io.imexagent.imex.probe;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueRule;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Finding.Severity;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealth.IncorrectConfiguration;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the driver and the GPUs through NVML. A session lasts for one reading: an open one would keep the operator from
 * reloading the driver. Blocks as long as the driver does; call it on the worker that owns NVML.
 */
public final class NvmlProbe {

    private final Nvml nvml;

    /** A probe of this NVML; nothing is loaded yet. */
    public NvmlProbe(Nvml nvml) {
        this.nvml = nvml;
    }

    /** Reads once. */
    public NvmlFacts read() {
        try (NvmlSession session = nvml.open()) {
            var loaded = new DriverState.Loaded(session.driverVersion(), session.nvmlVersion());
            var gpus = new ArrayList<Gpu>();
            var findings = new ArrayList<Finding>();
            int count = session.deviceCount();
            for (int index = 0; index < count; index++) {
                gpus.add(gpu(session, index, findings));
            }
            CliqueState clique = CliqueRule.of(gpus);
            cliqueFinding(clique, findings).ifPresent(findings::add);
            return new NvmlFacts(loaded, gpus, clique, findings);
        } catch (NvmlException failure) {
            return withoutSession(failure);
        }
    }

    private static NvmlFacts withoutSession(NvmlException failure) {
        boolean absent = failure instanceof NvmlException.LibraryNotFound
                || returned(failure, NvmlReturn.DRIVER_NOT_LOADED)
                || returned(failure, NvmlReturn.LIBRARY_NOT_FOUND);
        String reason = message(failure);
        if (failure instanceof NvmlException.LibraryHangs) {
            return new NvmlFacts(
                    new DriverState.Failing(reason),
                    List.of(),
                    new CliqueState.Unknown(reason),
                    List.of(new Finding(
                            "driver-library-hangs",
                            Severity.ERROR,
                            "the driver's library is not loaded: " + reason,
                            "look at the file system that it lies on and at the kernel log; a reboot may be needed. It"
                                    + " is tried again with every reading")));
        }
        Finding finding = absent
                ? new Finding(
                        "driver-absent",
                        Severity.ERROR,
                        "there is no NVIDIA driver: " + reason,
                        "install and load the driver; it is found without a restart")
                : new Finding(
                        "driver-failing",
                        Severity.ERROR,
                        "the NVIDIA driver does not answer: " + reason,
                        returned(failure, NvmlReturn.LIB_RM_VERSION_MISMATCH)
                                ? "reload the nvidia modules or reboot: library and kernel module differ in version"
                                : "look at the kernel log for NVRM messages; a reboot may be needed");
        return new NvmlFacts(
                absent ? new DriverState.Absent(reason) : new DriverState.Failing(reason),
                List.of(),
                new CliqueState.Unknown(reason),
                List.of(finding));
    }

    private static Gpu gpu(NvmlSession session, int index, List<Finding> findings) {
        String name = "";
        String uuid = "";
        Optional<PciAddress> pci = Optional.empty();
        try {
            NvmlDevice device = session.device(index);
            name = device.name();
            uuid = device.uuid();
            pci = PciAddress.parse(device.pciAddress());
            FabricAnswer fabric = device.fabric();
            Gpu gpu = new Gpu(index, name, uuid, pci, fabric(fabric), GpuHealthReading.of(fabric, device));
            fabricFinding(gpu).ifPresent(findings::add);
            recoveryFinding(gpu).ifPresent(findings::add);
            return gpu;
        } catch (NvmlException failure) {
            findings.add(new Finding(
                    returned(failure, NvmlReturn.GPU_IS_LOST) ? "gpu-lost" : "gpu-unreadable",
                    Severity.ERROR,
                    "GPU " + index + " does not answer: " + message(failure),
                    "drain the node and reset the GPU or reboot"));
            return new Gpu(index, name, uuid, pci, new Gpu.Fabric.Unknown(message(failure)));
        }
    }

    private static Gpu.Fabric fabric(FabricAnswer answer) {
        return switch (answer) {
            case FabricAnswer.NotSupported none -> new Gpu.Fabric.NotSupported();
            case FabricAnswer.DriverTooOld old ->
                new Gpu.Fabric.Unknown("the driver is too old to tell its fabric; upgrade it");
            case FabricAnswer.Reported reported -> fabric(reported.info());
        };
    }

    private static Gpu.Fabric fabric(FabricInfo info) {
        return info.state()
                .name()
                .map(state -> switch (state) {
                    case NOT_SUPPORTED -> new Gpu.Fabric.NotSupported();
                    case NOT_STARTED, IN_PROGRESS ->
                        new Gpu.Fabric.Registering(state.name().toLowerCase(Locale.ROOT));
                    case COMPLETED -> completed(info);
                })
                .orElseGet(() -> new Gpu.Fabric.Unknown(
                        "fabric state " + info.state().number() + " is not known; upgrade imex-agent"));
    }

    private static Gpu.Fabric completed(FabricInfo info) {
        return info.status().is(NvmlReturn.SUCCESS)
                ? new Gpu.Fabric.Registered(CliqueId.of(info.clusterUuid(), info.cliqueId()), faults(info))
                : new Gpu.Fabric.Failed(
                        Stream.concat(Stream.of("registration ended with " + info.status()), faults(info).stream())
                                .collect(Collectors.joining(", ")));
    }

    private static List<String> faults(FabricInfo info) {
        return info.health().map(NvmlProbe::unhealthy).orElse(List.of());
    }

    private static List<String> unhealthy(FabricHealth health) {
        var faults = new ArrayList<String>();
        add(faults, health.degradedBandwidth(), "degraded bandwidth");
        add(faults, health.routeRecovery(), "route recovery");
        add(faults, health.routeUnhealthy(), "route unhealthy");
        add(faults, health.accessTimeoutRecovery(), "access timeout recovery");
        Numbered<IncorrectConfiguration> fault = health.incorrectConfiguration();
        if (!fault.is(IncorrectConfiguration.NONE) && !fault.is(IncorrectConfiguration.NOT_SUPPORTED)) {
            faults.add("incorrect configuration"
                    + fault.name()
                            .map(name ->
                                    ": " + name.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                            .orElseGet(() -> " " + fault.number()));
        }
        return faults;
    }

    private static void add(List<String> faults, FabricHealth.Flag flag, String name) {
        if (flag == FabricHealth.Flag.YES) {
            faults.add(name);
        }
    }

    private static Optional<Finding> fabricFinding(Gpu gpu) {
        return gpu.fabric() instanceof Gpu.Fabric.Registered registered
                        && !registered.unhealthy().isEmpty()
                ? Optional.of(new Finding(
                        "fabric-unhealthy",
                        Severity.WARNING,
                        "GPU " + gpu.index() + " reports of its fabric: " + String.join(", ", registered.unhealthy()),
                        "look at the fabric manager and the NVLink switches"))
                : Optional.empty();
    }

    private static Optional<Finding> recoveryFinding(Gpu gpu) {
        return gpu.health()
                .neededAction()
                .map(action -> new Finding(
                        "gpu-recovery-action",
                        Severity.WARNING,
                        "GPU " + gpu.index() + " asks to be recovered: " + action.replace('_', ' '),
                        "drain the node and do what the GPU asks for; its devices are unhealthy until then"));
    }

    private static Optional<Finding> cliqueFinding(CliqueState clique, List<Finding> ofGpus) {
        return switch (clique) {
            case CliqueState.Present present -> Optional.empty();
            case CliqueState.Unknown unknown ->
                ofGpus.isEmpty()
                        ? Optional.of(new Finding(
                                "clique-unknown",
                                Severity.WARNING,
                                "the NVLink clique cannot be told: " + unknown.detail(),
                                "upgrade the NVIDIA driver, then imex-agent; prepare refuses until the clique"
                                        + " is known"))
                        : Optional.empty();
            case CliqueState.None none ->
                Optional.of(new Finding(
                        "clique-none",
                        Severity.WARNING,
                        "the node has no NVLink clique: " + none.reason(),
                        "nothing to do where the node is in no NVLink rack; otherwise look at the fabric manager"));
            case CliqueState.Registering registering ->
                Optional.of(new Finding(
                        "fabric-registering",
                        Severity.WARNING,
                        "the fabric is still registering: " + registering.detail(),
                        "wait, it can take minutes after boot; if it stays, look at the fabric manager"));
            case CliqueState.Failed failed ->
                Optional.of(new Finding(
                        "fabric-failed",
                        Severity.ERROR,
                        "registration with the fabric failed: " + failed.detail(),
                        "look at the fabric manager and the NVLink switches; then reset the GPUs"));
            case CliqueState.Conflicting conflicting ->
                Optional.of(new Finding(
                        "clique-conflict",
                        Severity.ERROR,
                        "the GPUs of this node report different cliques: " + conflicting.ids(),
                        "give all GPUs of the node to one partition of the fabric"));
        };
    }

    private static boolean returned(NvmlException failure, NvmlReturn result) {
        return failure instanceof NvmlException.CallFailed call && call.result().is(result);
    }

    private static String message(NvmlException failure) {
        return Optional.ofNullable(failure.getMessage())
                .orElse(failure.getClass().getSimpleName());
    }
}
