package io.imexagent.imex.watch;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/**
 * The condition of a device, and what is wrong, missing or unknown, in one line for the status of a pod. {@link #and}
 * combines the statuses of several sources.
 */
public record ChannelStatus(ChannelCondition status, String message) {

    /** The device works, as far as is known. */
    public static final ChannelStatus WELL = new ChannelStatus(ChannelCondition.HEALTHY, "");

    /** The condition of a device, the best first: a fault is worse than an unknown state. */
    public enum ChannelCondition {
        HEALTHY,
        DEGRADED,
        UNKNOWN,
        UNHEALTHY;

        public Severity severity() {
            return switch (this) {
                case HEALTHY -> Severity.OK;
                case DEGRADED, UNKNOWN -> Severity.WARNING;
                case UNHEALTHY -> Severity.CRITICAL;
            };
        }
    }

    /** Returns the worse of both, this one if they are equally bad. */
    public ChannelStatus and(ChannelStatus other) {
        return other.status.compareTo(status) > 0 ? other : this;
    }

    /**
     * The status of the node's channels by the inventory. All channels share driver, major, fabric and GPUs, and so
     * have one status. It is unhealthy with the first finding that keeps devices from being served, and with a GPU that
     * is broken or needs recovery; unknown while the fabric is registering, or while NVML reports nothing or an
     * undefined number; degraded with a GPU that has limits.
     */
    public static ChannelStatus of(NodeInventory inventory) {
        return inventory.findings().stream()
                .filter(finding -> finding.severity() == Severity.CRITICAL)
                .findFirst()
                .map(finding -> new ChannelStatus(ChannelCondition.UNHEALTHY, finding.message()))
                .orElseGet(() -> inventory.gpus().stream()
                        .map(ChannelStatus::of)
                        .reduce(of(inventory.clique()), ChannelStatus::and));
    }

    private static ChannelStatus of(Gpu gpu) {
        String complaints = gpu.title() + ": " + String.join(", ", gpu.health().complaints());
        ChannelStatus place = gpu.fabric() instanceof Gpu.GpuFabric.FabricUnknown unknown
                ? new ChannelStatus(ChannelCondition.UNKNOWN, gpu.title() + ": " + unknown.reason())
                : WELL;
        return place.and(
                switch (gpu.health().weight()) {
                    case GOOD -> WELL;
                    case DEGRADED -> new ChannelStatus(ChannelCondition.DEGRADED, complaints);
                    case UNKNOWN -> new ChannelStatus(ChannelCondition.UNKNOWN, complaints);
                    case BAD -> new ChannelStatus(ChannelCondition.UNHEALTHY, complaints);
                });
    }

    private static ChannelStatus of(CliqueState clique) {
        return switch (clique) {
            case CliqueState.UnknownClique(String detail) ->
                new ChannelStatus(ChannelCondition.UNKNOWN, "the NVLink clique is unknown: " + detail);
            case CliqueState.RegisteringClique(String detail) ->
                new ChannelStatus(ChannelCondition.UNKNOWN, "the fabric is still registering: " + detail);
            case CliqueState.KnownClique _, CliqueState.NoClique _ -> WELL;
            case CliqueState.FailedClique _ ->
                new ChannelStatus(ChannelCondition.UNHEALTHY, "registration with the fabric failed");
            case CliqueState.ConflictingClique _ ->
                new ChannelStatus(ChannelCondition.UNHEALTHY, "the GPUs of this node report different cliques");
        };
    }

    /** The status of the node's channels by nvidia-imex: they are of use only as far as their domain works. */
    public static ChannelStatus of(ImexSource source) {
        return source.watched()
                ? source.current()
                        .map(ChannelStatus::of)
                        .orElse(new ChannelStatus(ChannelCondition.UNKNOWN, "nvidia-imex has not been read yet"))
                : WELL;
    }

    /** The reason why a new claim is not prepared if prepare waits for nvidia-imex; empty if it may be. */
    public static Optional<Refusal> refusal(ImexSource source) {
        ChannelStatus health = of(source);
        return switch (health.status()) {
            case HEALTHY, DEGRADED -> Optional.empty();
            case UNKNOWN, UNHEALTHY ->
                Optional.of(new Refusal(
                        RefusalCode.IMEX_NOT_READY,
                        "imex.health.gatePrepare holds claims back until nvidia-imex of this node is ready: "
                                + health.message() + "; the claim is retried"));
        };
    }

    private static ChannelStatus of(ImexHealth health) {
        return switch (health.verdict().level()) {
            // For NOT_APPLICABLE on a node that is served, the inventory reports the fault.
            case UP, NOT_APPLICABLE -> WELL;
            case DEGRADED -> new ChannelStatus(ChannelCondition.DEGRADED, health.line());
            case DOWN -> new ChannelStatus(ChannelCondition.UNHEALTHY, health.line());
            case UNKNOWN -> new ChannelStatus(ChannelCondition.UNKNOWN, health.line());
        };
    }
}
