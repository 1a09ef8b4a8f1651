package io.imexagent.imex.probe;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.Gpu.GpuFabric.FabricUnknown.UnknownCause;
import io.imexagent.core.text.DisplayedName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The faults of the GPUs that NVML lists and of their fabric: GPUs → findings. Pure. GPUs with the same fault share a
 * finding that names each.
 */
public final class GpuFindings {

    private static final String FABRIC = "look at the fabric manager and the NVLink switches";

    /** The remedy if NVML reports missing permission. */
    static final String ACCESS = "give the agent access to /dev/nvidia*: look at the owner and mode of the device nodes"
            + " (NVreg_DeviceFileMode), and at the unit's DeviceAllow= or the pod's devices";

    private GpuFindings() {}

    /** The possible faults of a GPU, in the order of the findings, with the remedies. */
    private enum GpuFault implements DisplayedName {
        GPU_LOST(Severity.CRITICAL, "drain the node and reset the GPU or reboot"),
        GPU_UNREADABLE(Severity.CRITICAL, GPU_LOST.remedy),
        FABRIC_FAILED(Severity.CRITICAL, FABRIC + "; then reset the GPUs"),
        GPU_OUTSIDE_FABRIC(Severity.CRITICAL, FABRIC + " at this GPU's links; then drain the node and reset the GPU"),
        GPU_WITHOUT_CLIQUE(Severity.CRITICAL, GPU_OUTSIDE_FABRIC.remedy),
        FABRIC_UNHEALTHY(Severity.CRITICAL, FABRIC),
        GPU_RECOVERY_ACTION(
                Severity.CRITICAL, "drain the node and do what the GPU asks for; its devices are unhealthy until then"),
        FABRIC_STATE_UNKNOWN(
                Severity.WARNING, "upgrade imex-agent; until then look at what nvidia-smi -q says of the fabric"),
        FABRIC_UNREADABLE(
                Severity.WARNING,
                "look at what nvidia-smi -q says of this GPU's fabric and at the kernel log for NVRM messages; reload or"
                        + " upgrade the driver"),
        FABRIC_HEALTH_UNKNOWN(Severity.WARNING, FABRIC_STATE_UNKNOWN.remedy),
        GPU_RECOVERY_UNKNOWN(
                Severity.WARNING,
                "look at what nvidia-smi -q says of the GPU's recovery action and at the kernel log for NVRM messages"),
        FABRIC_LIMITED(Severity.WARNING, FABRIC);

        private final Severity severity;
        private final String remedy;

        GpuFault(Severity severity, String remedy) {
            this.severity = severity;
            this.remedy = remedy;
        }

        Finding of(List<Gpu> gpus, String what, String remedy) {
            return new Finding(text(), severity, Gpu.titles(gpus) + ": " + what, remedy);
        }
    }

    private record GpuComplaint(GpuFault fault, String what, String remedy) {

        Finding about(List<Gpu> gpus) {
            return fault.of(gpus, what, remedy);
        }
    }

    /** The number of the node's GPUs that work, as far as is known: those without a finding that is an error. */
    public static int working(List<Gpu> gpus) {
        List<Gpu> outside = CliqueState.outside(gpus);
        return (int) gpus.stream()
                .filter(gpu -> complaints(gpu, outside)
                        .noneMatch(complaint -> complaint.fault().severity == Severity.CRITICAL))
                .count();
    }

    private static Stream<GpuComplaint> complaints(Gpu gpu, List<Gpu> outside) {
        return Stream.of(fabric(gpu, outside.contains(gpu)), health(gpu), recovery(gpu))
                .flatMap(Optional::stream);
    }

    static List<Finding> of(List<Gpu> gpus, CliqueState clique) {
        List<Gpu> outside = CliqueState.outside(gpus);
        var complaints = new LinkedHashMap<GpuComplaint, List<Gpu>>();
        for (Gpu gpu : gpus) {
            complaints(gpu, outside)
                    // On a node without any clique an unreadable fabric is a finding of the node.
                    .filter(complaint -> complaint.fault() != GpuFault.FABRIC_UNREADABLE
                            || !(clique instanceof CliqueState.UnknownClique))
                    .forEach(complaint -> complaints
                            .computeIfAbsent(complaint, none -> new ArrayList<>())
                            .add(gpu));
        }
        Stream<Finding> ofGpus = complaints.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().fault()))
                .map(entry -> entry.getKey().about(entry.getValue()));
        return Stream.concat(ofGpus, ofNode(clique, gpus).stream()).toList();
    }

    private static Optional<GpuComplaint> fabric(Gpu gpu, boolean outside) {
        return switch (gpu.fabric()) {
            case Gpu.GpuFabric.FabricUnknown(UnknownCause cause, String reason) ->
                switch (cause) {
                    case LOST -> complaint(GpuFault.GPU_LOST, "does not answer: " + reason);
                    case UNREADABLE -> complaint(GpuFault.GPU_UNREADABLE, "does not answer: " + reason);
                    case CLOSED ->
                        Optional.of(new GpuComplaint(GpuFault.GPU_UNREADABLE, "cannot be opened: " + reason, ACCESS));
                    case UNNAMED_STATE -> complaint(GpuFault.FABRIC_STATE_UNKNOWN, reason);
                    case UNASKABLE -> complaint(GpuFault.FABRIC_UNREADABLE, reason);
                };
            case Gpu.GpuFabric.FabricFailed(String reason) -> complaint(GpuFault.FABRIC_FAILED, reason);
            case Gpu.GpuFabric.NoFabric _ ->
                outside
                        ? complaint(
                                GpuFault.GPU_OUTSIDE_FABRIC,
                                "takes part in no NVLink fabric (state: not supported), unlike other GPUs of this node")
                        : Optional.empty();
            case Gpu.GpuFabric.FabricRegistered _ ->
                outside
                        ? complaint(
                                GpuFault.GPU_WITHOUT_CLIQUE,
                                "registered with an all-zero cluster UUID, so it is in no clique, unlike other GPUs of"
                                        + " this node")
                        : Optional.empty();
            case Gpu.GpuFabric.FabricRegistering _ -> Optional.empty();
        };
    }

    /** The fault of the fabric by mask and summary. After a failed registration they are part of its reason instead. */
    private static Optional<GpuComplaint> health(Gpu gpu) {
        String what = "reports of its fabric: " + String.join(", ", gpu.health().fabricComplaints());
        return gpu.fabric() instanceof Gpu.GpuFabric.FabricFailed
                ? Optional.empty()
                : switch (gpu.health().fabricWeight()) {
                    case GOOD -> Optional.empty();
                    case DEGRADED -> complaint(GpuFault.FABRIC_LIMITED, what);
                    case UNKNOWN -> complaint(GpuFault.FABRIC_HEALTH_UNKNOWN, what);
                    case BAD -> complaint(GpuFault.FABRIC_UNHEALTHY, what);
                };
    }

    private static Optional<GpuComplaint> recovery(Gpu gpu) {
        return gpu.health()
                .neededAction()
                .flatMap(action ->
                        complaint(GpuFault.GPU_RECOVERY_ACTION, "asks to be recovered: " + action.replace('_', ' ')))
                .or(() -> gpu.health()
                        .unreadAction()
                        .flatMap(why -> complaint(
                                GpuFault.GPU_RECOVERY_UNKNOWN, "its recovery action cannot be read: " + why)));
    }

    private static Optional<GpuComplaint> complaint(GpuFault fault, String what) {
        return Optional.of(new GpuComplaint(fault, what, fault.remedy));
    }

    /** The findings of the node that no finding of one of its GPUs covers. */
    private static Optional<Finding> ofNode(CliqueState clique, List<Gpu> gpus) {
        return switch (clique) {
            case CliqueState.KnownClique _, CliqueState.FailedClique _ -> Optional.empty();
            case CliqueState.UnknownClique(String detail) ->
                gpus.stream().anyMatch(GpuFindings::isUnaskable)
                        ? Optional.of(Finding.warning(
                                "clique-unknown",
                                "the NVLink clique is unknown: " + detail,
                                "upgrade the NVIDIA driver; prepare refuses until the clique is known"))
                        : Optional.empty();
            case CliqueState.NoClique(String reason) ->
                Optional.of(Finding.warning(
                        "clique-none",
                        "the node has no NVLink clique: " + reason,
                        "nothing to do where the node is in no NVLink rack; otherwise look at the fabric manager"));
            case CliqueState.RegisteringClique(String detail) ->
                Optional.of(Finding.warning(
                        "fabric-registering",
                        "the fabric is still registering: " + detail,
                        "wait: registration can take minutes after boot; if this finding stays, look at the fabric"
                                + " manager"));
            case CliqueState.ConflictingClique(var ids) ->
                Optional.of(Finding.critical(
                        "clique-conflict",
                        "the GPUs of this node report different cliques: " + members(gpus, ids),
                        "give all GPUs of the node to one partition of the fabric"));
        };
    }

    private static boolean isUnaskable(Gpu gpu) {
        return gpu.fabric() instanceof Gpu.GpuFabric.FabricUnknown unknown && unknown.cause() == UnknownCause.UNASKABLE;
    }

    private static String members(List<Gpu> gpus, Collection<CliqueId> ids) {
        return ids.stream()
                .map(id -> id + " at "
                        + Gpu.titles(gpus.stream()
                                .filter(gpu -> gpu.clique().equals(Optional.of(id)))
                                .toList()))
                .collect(Collectors.joining("; "));
    }
}
