package io.imexagent.kubernetes;

import java.time.Instant;
import java.util.Optional;

/**
 * How the controller saw that a node's Node does not answer, and when it saw that first. It stands in the node's object for
 * people; the node's agent never writes it.
 */
public record Outage(OutageState state, Instant since) {

    /** How the Node is. */
    public enum OutageState {
        NOT_READY("NotReady"),
        /** The cluster has none of this name. */
        MISSING("Missing");

        private final String text;

        OutageState(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /** The state of this text; empty for any other. */
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
