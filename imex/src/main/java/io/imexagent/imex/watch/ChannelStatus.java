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
 * How a device is, and what is wrong, missing or unknown, one line for the status of a pod. Several sources may each
 * have their say: {@link #and} joins them.
 */
public record ChannelStatus(ChannelCondition status, String message) {

    /** It works, as far as is known. */
    public static final ChannelStatus WELL = new ChannelStatus(ChannelCondition.HEALTHY, "");

    /** Whether a device works, the best first: what is wrong counts more than what is not known. */
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

    /** The worse of both, this one where they are equally bad. */
    public ChannelStatus and(ChannelStatus other) {
        return other.status.compareTo(status) > 0 ? other : this;
    }

    /**
     * What the inventory says of the node's channels. They share driver, major, fabric and GPUs, so they are all alike:
     * unhealthy with the first finding that keeps devices from being served and with a GPU that is broken or asks to be
     * recovered, unknown while the fabric is registering, NVML reports nothing, or a number without a meaning, degraded
     * with a GPU that has less than it could.
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

    /** What nvidia-imex means for the node's channels: they are worth as much as the domain that they lead to. */
    public static ChannelStatus of(ImexSource source) {
        return source.watched()
                ? source.current()
                        .map(ChannelStatus::of)
                        .orElse(new ChannelStatus(ChannelCondition.UNKNOWN, "nvidia-imex has not been read yet"))
                : WELL;
    }

    /** Why a new claim is not prepared where prepare waits for nvidia-imex; empty where it may be. */
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
            // The inventory says what is wrong with a node on which it is served and not applicable.
            case UP, NOT_APPLICABLE -> WELL;
            case DEGRADED -> new ChannelStatus(ChannelCondition.DEGRADED, health.line());
            case DOWN -> new ChannelStatus(ChannelCondition.UNHEALTHY, health.line());
            case UNKNOWN -> new ChannelStatus(ChannelCondition.UNKNOWN, health.line());
        };
    }
}
