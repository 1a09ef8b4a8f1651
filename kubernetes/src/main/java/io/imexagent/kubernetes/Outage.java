package io.imexagent.kubernetes;

import java.time.Instant;
import java.util.Optional;

/**
 * The controller's finding that a Node does not respond, and when it first found this. It is stored in the node's
 * NVLinkNode for people; the node's agent never writes it.
 */
public record Outage(OutageState state, Instant since) {

    /** The state of the Node. */
    public enum OutageState {
        NOT_READY("NotReady"),
        /** The cluster has no Node of this name. */
        MISSING("Missing");

        private final String text;

        OutageState(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /** Parses the text of a state; empty for any other text. */
        public static Optional<OutageState> of(String text) {
            for (OutageState state : values()) {
                if (state.text.equals(text)) {
                    return Optional.of(state);
                }
            }
            return Optional.empty();
        }
    }
}
