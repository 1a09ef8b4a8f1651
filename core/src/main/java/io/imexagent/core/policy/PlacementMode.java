package io.imexagent.core.policy;

import io.imexagent.core.setting.NamedChoice;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether the pods of a ComputeDomain are kept in one NVLink clique ({@code placement.clique}). */
public enum PlacementMode implements NamedChoice {
    /** The scheduler places pods as it likes. */
    OFF,
    /** Pods prefer the clique of the workload's other pods; without room there, they run in any. */
    PREFERRED,
    /** Pods run in the clique of the workload's other pods only; without room there, they stay Pending. */
    REQUIRED;

    /** The mode with exactly this text; empty if there is none. */
    public static Optional<PlacementMode> of(String text) {
        return Stream.of(values()).filter(mode -> mode.text().equals(text)).findFirst();
    }
}
