package io.imexagent.imex.watch;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/** How a device is. Several sources may each have their say: {@link #and} joins them. */
public sealed interface Health {

    /** It works, as far as is known. */
    record Healthy() implements Health {}

    /** It works, with less than it could; the message says what is missing, one line for the status of a pod. */
    record Degraded(String message) implements Health {}

    /** It does not work; the message says what is wrong, one line for the status of a pod. */
    record Unhealthy(String message) implements Health {}

    /** It cannot be told; the message says why. */
    record Unknown(String message) implements Health {}

    /** The worse of both, this one where they are equally bad: what is wrong counts more than what is not known. */
    default Health and(Health other) {
        return badness(other) > badness(this) ? other : this;
    }

    private static int badness(Health health) {
        return switch (health) {
            case Healthy _ -> 0;
            case Degraded _ -> 1;
            case Unknown _ -> 2;
            case Unhealthy _ -> 3;
        };
    }

    /**
     * What the inventory says of the node's channels. They share driver, major, fabric and GPUs, so they are all alike:
     * unhealthy with the first finding that keeps devices from being served and with a GPU that is broken or asks to be
     * recovered, unknown while the fabric is registering or NVML has not told, degraded with a GPU that has less than it
     * could.
     */
    static Health of(NodeInventory inventory) {
        Optional<Finding> fault = inventory.findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                .findFirst();
        return fault.<Health>map(finding -> new Unhealthy(finding.message()))
                .orElseGet(() -> inventory.gpus().stream().map(Health::of).reduce(of(inventory.clique()), Health::and));
    }

    private static Health of(Gpu gpu) {
        String complaints =
                "GPU " + gpu.index() + ": " + String.join(", ", gpu.health().complaints());
        return switch (gpu.health().weight()) {
            case GOOD -> new Healthy();
            case DEGRADED -> new Degraded(complaints);
            case BAD -> new Unhealthy(complaints);
        };
    }

    private static Health of(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Unknown(String detail) -> new Unknown("the NVLink clique is unknown: " + detail);
            case CliqueState.Registering(String detail) -> new Unknown("the fabric is still registering: " + detail);
            case CliqueState.Present _, CliqueState.None _ -> new Healthy();
            case CliqueState.Failed _ -> new Unhealthy("registration with the fabric failed");
            case CliqueState.Conflicting _ -> new Unhealthy("the GPUs of this node report different cliques");
        };
    }

    /** What nvidia-imex means for the node's channels: they are worth as much as the domain that they lead to. */
    static Health of(ImexSource source) {
        return source.watched()
                ? source.current().map(Health::of).orElseGet(() -> new Unknown("nvidia-imex has not been read yet"))
                : new Healthy();
    }

    private static Health of(ImexHealth health) {
        return switch (health.verdict().level()) {
            // The inventory says what is wrong with a node on which it is served and not applicable.
            case UP, NOT_APPLICABLE -> new Healthy();
            case DEGRADED -> new Degraded(health.line());
            case DOWN -> new Unhealthy(health.line());
            case UNKNOWN -> new Unknown(health.line());
        };
    }
}
