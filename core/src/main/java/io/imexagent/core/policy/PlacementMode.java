package io.imexagent.core.policy;

import io.imexagent.core.setting.NamedChoice;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether the pods of a ComputeDomain are kept in one NVLink clique ({@code placement.clique}). */
public enum PlacementMode implements NamedChoice {
    /** The scheduler places pods as it likes. */
    OFF("Off"),
    /** In the clique of the other pods where there is room, and else in any. */
    PREFERRED("Preferred"),
    /** In the clique of the other pods; a pod that finds no room there stays Pending. */
    REQUIRED("Required");

    private final String text;

    PlacementMode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }

    /** The mode of this text, exactly as it is written; empty where there is none. */
    public static Optional<PlacementMode> of(String text) {
        return Stream.of(values()).filter(mode -> mode.text.equals(text)).findFirst();
    }
}
