package io.imexagent.imex.probe;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealth.IncorrectConfiguration;
import io.imexagent.nvml.FabricHealth.Statement;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
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
public record NvmlProbe(Nvml nvml) {

    public NvmlFacts read() {
        try (NvmlSession session = nvml.open()) {
            var loaded = new DriverState.Loaded(session.driverVersion(), session.nvmlVersion());
            var gpus = new ArrayList<Gpu>();
            var findings = new ArrayList<Finding>();
            int count = session.deviceCount();
            for (int index = 0; index < count; index++) {
                gpus.add(gpu(session, index, findings));
            }
            CliqueState clique = CliqueState.of(gpus);
            cliqueFinding(clique, findings.isEmpty()).ifPresent(findings::add);
            return new NvmlFacts(loaded, gpus, clique, findings);
        } catch (NvmlException failure) {
            return withoutSession(failure);
        }
    }

    private static NvmlFacts withoutSession(NvmlException failure) {
        String reason = String.valueOf(failure.getMessage());
        if (failure instanceof NvmlException.LibraryNotFound
                || returned(failure, NvmlReturn.DRIVER_NOT_LOADED)
                || returned(failure, NvmlReturn.LIBRARY_NOT_FOUND)) {
            return NvmlFacts.without(
                    new DriverState.Absent(reason),
                    Finding.error(
                            "driver-absent",
                            "there is no NVIDIA driver",
                            "install and load the driver; it is found without a restart"));
        }
        Finding why = failure instanceof NvmlException.LibraryHangs
                ? Finding.error(
                        "driver-library-hangs",
                        "the driver's library is not loaded: " + reason,
                        "look at the file system that it lies on and at the kernel log; a reboot may be needed. It is"
                                + " tried again with every reading")
                : Finding.error(
                        "driver-failing",
                        "the NVIDIA driver does not answer: " + reason,
                        returned(failure, NvmlReturn.LIB_RM_VERSION_MISMATCH)
                                ? "reload the nvidia modules or reboot: library and kernel module differ in version"
                                : "look at the kernel log for NVRM messages; a reboot may be needed");
        return NvmlFacts.without(new DriverState.Failing(reason), why);
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
            FabricAnswer answer = device.fabric();
            GpuHealth health = health(answer, device);
            List<String> unhealthy = health.fabric().stream()
                    .filter(bit -> bit.weight() != GpuHealth.Weight.GOOD)
                    .map(GpuHealth.FabricBit::text)
                    .toList();
            Gpu.Fabric fabric = fabric(answer, unhealthy);
            if (fabric instanceof Gpu.Fabric.Registered && !unhealthy.isEmpty()) {
                findings.add(Finding.warning(
                        "fabric-unhealthy",
                        "GPU " + index + " reports of its fabric: " + String.join(", ", unhealthy),
                        "look at the fabric manager and the NVLink switches"));
            }
            health.neededAction()
                    .ifPresent(action -> findings.add(Finding.warning(
                            "gpu-recovery-action",
                            "GPU " + index + " asks to be recovered: " + action.replace('_', ' '),
                            "drain the node and do what the GPU asks for; its devices are unhealthy until then")));
            return new Gpu(index, name, uuid, pci, fabric, health);
        } catch (NvmlException failure) {
            String reason = String.valueOf(failure.getMessage());
            findings.add(Finding.error(
                    returned(failure, NvmlReturn.GPU_IS_LOST) ? "gpu-lost" : "gpu-unreadable",
                    "GPU " + index + " does not answer: " + reason,
                    "drain the node and reset the GPU or reboot"));
            return new Gpu(index, name, uuid, pci, new Gpu.Fabric.Unknown(reason));
        }
    }

    /** A GPU's health; a field that it lacks, or cannot read at present, is left out. */
    private static GpuHealth health(FabricAnswer fabric, NvmlDevice device) throws NvmlException {
        Optional<FabricInfo> info =
                fabric instanceof FabricAnswer.Reported(FabricInfo reported) ? Optional.of(reported) : Optional.empty();
        return new GpuHealth(
                info.flatMap(FabricInfo::health).map(NvmlProbe::bits).orElse(List.of()),
                info.flatMap(FabricInfo::healthSummary).map(summary -> summary.word("summary")),
                recoveryAction(device));
    }

    /** Every bit by its name (nvml.h, {@code NVML_GPU_FABRIC_HEALTH_MASK_*}). */
    private static List<FabricBit> bits(FabricHealth health) {
        return List.of(
                flag(health, Statement.DEGRADED_BANDWIDTH, Weight.DEGRADED),
                flag(health, Statement.ROUTE_RECOVERY, Weight.DEGRADED),
                flag(health, Statement.ROUTE_UNHEALTHY, Weight.BAD),
                flag(health, Statement.ACCESS_TIMEOUT_RECOVERY, Weight.DEGRADED),
                configuration(health.incorrectConfiguration()),
                // A fabric without partitions assigns none; that is no fault.
                flag(health, Statement.PARTITION_ASSIGNED, Weight.GOOD));
    }

    private static FabricBit flag(FabricHealth health, Statement statement, Weight whenSet) {
        FabricHealth.Flag flag = health.flag(statement);
        boolean set = flag == FabricHealth.Flag.YES;
        return new FabricBit(lower(statement), lower(flag), set ? whenSet : Weight.GOOD);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static FabricBit configuration(Numbered<IncorrectConfiguration> fault) {
        boolean right = fault.is(IncorrectConfiguration.NONE) || fault.is(IncorrectConfiguration.NOT_SUPPORTED);
        return new FabricBit("incorrect_configuration", fault.word("fault"), right ? Weight.GOOD : Weight.BAD);
    }

    private static Optional<String> recoveryAction(NvmlDevice device) throws NvmlException {
        try {
            return device.recoveryAction().map(action -> action.word("action"));
        } catch (NvmlException.CallFailed failure) {
            if (failure.result().is(NvmlReturn.GPU_IS_LOST)) {
                throw failure;
            }
            return Optional.empty();
        }
    }

    private static Gpu.Fabric fabric(FabricAnswer answer, List<String> unhealthy) {
        return switch (answer) {
            case FabricAnswer.NotSupported _ -> new Gpu.Fabric.NotSupported();
            case FabricAnswer.DriverTooOld _ ->
                new Gpu.Fabric.Unknown("the driver is too old to report the NVLink fabric; upgrade the driver");
            case FabricAnswer.Reported(FabricInfo info) ->
                info.state()
                        .name()
                        .map(state -> switch (state) {
                            case NOT_SUPPORTED -> new Gpu.Fabric.NotSupported();
                            case NOT_STARTED, IN_PROGRESS -> new Gpu.Fabric.Registering(lower(state));
                            case COMPLETED -> completed(info, unhealthy);
                        })
                        .orElseGet(() -> new Gpu.Fabric.Unknown(
                                "fabric state " + info.state().number() + " is not known; upgrade imex-agent"));
        };
    }

    private static Gpu.Fabric completed(FabricInfo info, List<String> unhealthy) {
        return info.status().is(NvmlReturn.SUCCESS)
                ? new Gpu.Fabric.Registered(CliqueId.of(info.clusterUuid(), info.cliqueId()), unhealthy)
                : new Gpu.Fabric.Failed(
                        Stream.concat(Stream.of("registration ended with " + info.status()), unhealthy.stream())
                                .collect(Collectors.joining(", ")));
    }

    private static Optional<Finding> cliqueFinding(CliqueState clique, boolean gpusAreFine) {
        return switch (clique) {
            case CliqueState.Present _ -> Optional.empty();
            case CliqueState.Unknown(String detail) ->
                gpusAreFine
                        ? Optional.of(Finding.warning(
                                "clique-unknown",
                                "the NVLink clique is unknown: " + detail,
                                "upgrade the NVIDIA driver, then imex-agent; prepare refuses until the clique"
                                        + " is known"))
                        : Optional.empty();
            case CliqueState.None(String reason) ->
                Optional.of(Finding.warning(
                        "clique-none",
                        "the node has no NVLink clique: " + reason,
                        "nothing to do where the node is in no NVLink rack; otherwise look at the fabric manager"));
            case CliqueState.Registering(String detail) ->
                Optional.of(Finding.warning(
                        "fabric-registering",
                        "the fabric is still registering: " + detail,
                        "wait: registration can take minutes after boot; if this finding stays, look at the fabric"
                                + " manager"));
            case CliqueState.Failed(String detail) ->
                Optional.of(Finding.error(
                        "fabric-failed",
                        "registration with the fabric failed: " + detail,
                        "look at the fabric manager and the NVLink switches; then reset the GPUs"));
            case CliqueState.Conflicting(var ids) ->
                Optional.of(Finding.error(
                        "clique-conflict",
                        "the GPUs of this node report different cliques: " + ids,
                        "give all GPUs of the node to one partition of the fabric"));
        };
    }

    private static boolean returned(NvmlException failure, NvmlReturn result) {
        return failure instanceof NvmlException.CallFailed call && call.result().is(result);
    }

    /** What NVML says: the driver, the GPUs by index, where the node stands in the fabric, and findings. */
    public record NvmlFacts(DriverState driver, List<Gpu> gpus, CliqueState clique, List<Finding> findings) {

        public NvmlFacts {
            gpus = List.copyOf(gpus);
            findings = List.copyOf(findings);
        }

        /** A driver that fails, and says nothing of GPUs and clique. */
        public static NvmlFacts failing(String reason) {
            return new NvmlFacts(
                    new DriverState.Failing(reason), List.of(), new CliqueState.Unknown(reason), List.of());
        }

        /** A driver that says nothing of GPUs and clique, as this finding tells. */
        static NvmlFacts without(DriverState driver, Finding why) {
            return new NvmlFacts(driver, List.of(), new CliqueState.Unknown(why.message()), List.of(why));
        }
    }
}
