package io.imexagent.imex.probe;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.Gpu.GpuFabric.FabricUnknown.UnknownCause;
import io.imexagent.core.inventory.Gpu.GpuFabric.TypedClique;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the driver and the GPUs through NVML. A session lasts for one reading, since an open one would keep the
 * operator from reloading the driver. {@code proc} and {@code sys} below the host's root show whether the kernel module
 * is loaded if NVML does not answer. Blocks as long as the driver does; call it on NVML's worker.
 */
public record NvmlProbe(Nvml nvml, Path hostRoot) {

    /** Answers of a driver that does not support the field of the recovery action. */
    private static final Set<NvmlReturn> OLDER_THAN_THE_FIELD = Set.of(
            NvmlReturn.NOT_SUPPORTED,
            NvmlReturn.FUNCTION_NOT_FOUND,
            NvmlReturn.INVALID_ARGUMENT,
            NvmlReturn.ARGUMENT_VERSION_MISMATCH);

    public NvmlFacts read() {
        try (NvmlSession session = nvml.open()) {
            var loaded = new DriverState.LoadedDriver(session.driverVersion(), session.nvmlVersion());
            var gpus = new ArrayList<Gpu>();
            int count = session.deviceCount();
            for (int index = 0; index < count; index++) {
                gpus.add(gpu(session, index));
            }
            CliqueState clique = CliqueState.of(gpus);
            return new NvmlFacts(loaded, gpus, clique, GpuFindings.of(gpus, clique));
        } catch (NvmlException failure) {
            return withoutSession(failure);
        }
    }

    private NvmlFacts withoutSession(NvmlException failure) {
        String reason = String.valueOf(failure.getMessage());
        boolean notLoaded =
                returned(failure, NvmlReturn.DRIVER_NOT_LOADED) || returned(failure, NvmlReturn.LIBRARY_NOT_FOUND);
        if (failure instanceof NvmlException.LibraryNotFound || notLoaded) {
            if (!DriverFiles.moduleIsLoaded(hostRoot)) {
                return NvmlFacts.without(
                        new DriverState.AbsentDriver(reason),
                        Finding.critical(
                                "driver-absent",
                                "there is no NVIDIA driver",
                                "install and load the driver; it is found without a restart"));
            }
            return notLoaded
                    ? failing(
                            "driver-failing",
                            "the NVIDIA driver does not answer, though its kernel module is loaded",
                            reason,
                            "look whether /dev/nvidiactl exists (nvidia-modprobe makes it) and may be opened here, and at"
                                    + " the kernel log for NVRM messages")
                    : failing(
                            "driver-library-not-found",
                            "the NVIDIA kernel module is loaded, and the driver's library is not found",
                            reason,
                            "set host.driverRoot to the folder under which the driver's libraries stand"
                                    + " (/run/nvidia/driver with a driver container), or install them here; they are"
                                    + " found without a restart");
        }
        if (failure instanceof NvmlException.LibraryHangs) {
            return failing(
                    "driver-library-hangs",
                    "the driver's library is not loaded",
                    reason,
                    "look at the file system that it lies on and at the kernel log; a reboot may be needed. It is"
                            + " tried again with every reading");
        }
        if (failure instanceof NvmlException.LibraryNotLoadable) {
            return failing(
                    "driver-library-not-loadable",
                    "the driver's library cannot be loaded",
                    reason,
                    "install the driver's libraries whole and for this machine's architecture, or set host.driverRoot to"
                            + " the folder under which they stand; outside of /usr and /run/nvidia/driver the unit needs"
                            + " ExecPaths= for it");
        }
        return failing(
                "driver-failing",
                "the NVIDIA driver does not answer",
                reason,
                returned(failure, NvmlReturn.LIB_RM_VERSION_MISMATCH)
                        ? "reload the nvidia modules or reboot: library and kernel module differ in version"
                        : returned(failure, NvmlReturn.NO_PERMISSION)
                                ? GpuFindings.ACCESS
                                : "look at the kernel log for NVRM messages; a reboot may be needed");
    }

    /** A failing driver, with its state in short and the reason. */
    private static NvmlFacts failing(String code, String what, String reason, String remedy) {
        return new NvmlFacts(
                new DriverState.FailingDriver(what + ": " + reason),
                List.of(),
                new CliqueState.UnknownClique(what),
                List.of(Finding.critical(code, what + ": " + reason, remedy)));
    }

    /** A GPU with the data that were read before a call failed; its address comes first, to identify it. */
    private static Gpu gpu(NvmlSession session, int index) {
        String name = "";
        String uuid = "";
        Optional<PciAddress> pci = Optional.empty();
        try {
            NvmlDevice device = session.device(index);
            pci = PciAddress.parse(device.pciAddress());
            uuid = device.uuid();
            name = device.name();
            FabricAnswer answer = device.fabric();
            GpuHealth health = health(answer, device);
            return new Gpu(index, name, uuid, pci, fabric(answer, health, session), health);
        } catch (NvmlException failure) {
            var cause = returned(failure, NvmlReturn.GPU_IS_LOST)
                    ? UnknownCause.LOST
                    : returned(failure, NvmlReturn.NO_PERMISSION) ? UnknownCause.CLOSED : UnknownCause.UNREADABLE;
            return new Gpu(
                    index,
                    name,
                    uuid,
                    pci,
                    new Gpu.GpuFabric.FabricUnknown(cause, String.valueOf(failure.getMessage())),
                    GpuHealth.UNTOLD);
        }
    }

    /** A GPU's health; a field that the GPU lacks is left out. */
    private static GpuHealth health(FabricAnswer fabric, NvmlDevice device) throws NvmlException {
        Optional<FabricInfo> info =
                fabric instanceof FabricAnswer.Reported(FabricInfo reported) ? Optional.of(reported) : Optional.empty();
        List<FabricBit> bits =
                info.flatMap(FabricInfo::health).map(NvmlProbe::bits).orElse(List.of());
        Optional<String> summary = info.flatMap(FabricInfo::healthSummary).map(sum -> sum.word("summary"));
        try {
            return new GpuHealth(bits, summary, device.recoveryAction().map(action -> action.word("action")));
        } catch (NvmlException failure) {
            if (returned(failure, NvmlReturn.GPU_IS_LOST)) {
                throw failure;
            }
            boolean unsupported = OLDER_THAN_THE_FIELD.stream().anyMatch(result -> returned(failure, result));
            return new GpuHealth(
                    bits,
                    summary,
                    Optional.empty(),
                    unsupported ? Optional.empty() : Optional.of(String.valueOf(failure.getMessage())));
        }
    }

    /** The bits of the health mask with their names (nvml.h, {@code NVML_GPU_FABRIC_HEALTH_MASK_*}). */
    private static List<FabricBit> bits(FabricHealth health) {
        return List.of(
                flag(health, Statement.DEGRADED_BANDWIDTH, Weight.DEGRADED, Weight.GOOD),
                flag(health, Statement.ROUTE_RECOVERY, Weight.DEGRADED, Weight.GOOD),
                flag(health, Statement.ROUTE_UNHEALTHY, Weight.BAD, Weight.GOOD),
                flag(health, Statement.ACCESS_TIMEOUT_RECOVERY, Weight.DEGRADED, Weight.GOOD),
                configuration(health.incorrectConfiguration()),
                // A fabric without partitions assigns no clique ID; that is not a fault.
                flag(health, Statement.PARTITION_ASSIGNED, Weight.GOOD, Weight.GOOD),
                flag(health, Statement.FABRIC_MANAGER_CONNECTED, Weight.GOOD, Weight.DEGRADED));
    }

    private static FabricBit flag(FabricHealth health, Statement statement, Weight yes, Weight no) {
        FabricHealth.HealthFlag flag = health.flag(statement);
        Weight weight = switch (flag) {
            case YES -> yes;
            case NO -> no;
            case UNDEFINED -> Weight.UNKNOWN;
            case NOT_SUPPORTED -> Weight.GOOD;
        };
        return new FabricBit(lower(statement), lower(flag), weight);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static FabricBit configuration(Numbered<IncorrectConfiguration> fault) {
        boolean right = fault.is(IncorrectConfiguration.NONE) || fault.is(IncorrectConfiguration.NOT_SUPPORTED);
        return new FabricBit("incorrect_configuration", fault.word("fault"), right ? Weight.GOOD : Weight.BAD);
    }

    private static Gpu.GpuFabric fabric(FabricAnswer answer, GpuHealth health, NvmlSession session) {
        return switch (answer) {
            case FabricAnswer.NotSupported _ -> new Gpu.GpuFabric.NoFabric();
            case FabricAnswer.DriverTooOld _ ->
                new Gpu.GpuFabric.FabricUnknown(
                        UnknownCause.UNASKABLE,
                        "NVML cannot be asked for its NVLink fabric, as where the driver is too old");
            case FabricAnswer.Reported(FabricInfo info) ->
                info.state()
                        .name()
                        .map(state -> switch (state) {
                            case NOT_SUPPORTED -> new Gpu.GpuFabric.NoFabric();
                            case NOT_STARTED, IN_PROGRESS -> new Gpu.GpuFabric.FabricRegistering(lower(state));
                            case COMPLETED -> completed(info, health, session);
                        })
                        .orElseGet(() -> new Gpu.GpuFabric.FabricUnknown(
                                UnknownCause.UNNAMED_STATE,
                                "fabric state " + info.state().number() + " is not known; upgrade imex-agent"));
        };
    }

    private static Gpu.GpuFabric completed(FabricInfo info, GpuHealth health, NvmlSession session) {
        if (info.status().is(NvmlReturn.SUCCESS)) {
            List<String> unhealthy = health.fabric().stream()
                    .filter(bit -> bit.weight() != Weight.GOOD)
                    .map(FabricBit::text)
                    .toList();
            return new Gpu.GpuFabric.FabricRegistered(
                    CliqueId.of(info.clusterUuid(), info.cliqueId()),
                    unhealthy,
                    info.cliques().stream()
                            .map(clique -> new TypedClique(clique.type().word("type"), clique.id()))
                            .toList());
        }
        String ended = "registration ended with " + session.words(info.status());
        return new Gpu.GpuFabric.FabricFailed(Stream.concat(Stream.of(ended), health.fabricComplaints().stream())
                .collect(Collectors.joining(", ")));
    }

    private static boolean returned(NvmlException failure, NvmlReturn result) {
        return failure instanceof NvmlException.CallFailed call && call.result().is(result);
    }

    /** The report of NVML: the driver, the GPUs by index, the node's place in the fabric, and findings. */
    public record NvmlFacts(DriverState driver, List<Gpu> gpus, CliqueState clique, List<Finding> findings) {

        public NvmlFacts {
            gpus = List.copyOf(gpus);
            findings = List.copyOf(findings);
        }

        /** Returns these facts with one more finding. */
        NvmlFacts with(Finding finding) {
            return new NvmlFacts(
                    driver,
                    gpus,
                    clique,
                    Stream.concat(findings.stream(), Stream.of(finding)).toList());
        }

        /** The facts of a failing driver, without GPUs and clique. */
        public static NvmlFacts failing(String reason) {
            return new NvmlFacts(
                    new DriverState.FailingDriver(reason), List.of(), new CliqueState.UnknownClique(reason), List.of());
        }

        /** The facts without GPUs and clique, with a finding that names the cause. */
        static NvmlFacts without(DriverState driver, Finding why) {
            return new NvmlFacts(driver, List.of(), new CliqueState.UnknownClique(why.message()), List.of(why));
        }
    }
}
