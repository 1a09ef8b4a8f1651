package io.imexagent.kubernetes;

import io.imexagent.core.setting.NamedChoice;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The controller's finding that a Node does not respond, and when it first found this. It is stored in the node's
 * NVLinkNode for people; the node's agent never writes it.
 */
public record Outage(OutageState state, Instant since) {

    /** The state of the Node. */
    public enum OutageState implements NamedChoice {
        NOT_READY,
        /** The cluster has no Node of this name. */
        MISSING;

        /** Parses the text of a state; empty for any other text. */
        public static Optional<OutageState> of(String text) {
            return Stream.of(values())
                    .filter(state -> state.text().equals(text))
                    .findFirst();
        }
    }
}
