package io.imexagent.kubernetes.clique;

import java.time.Instant;
import java.util.Optional;

/**
 * How the controller saw that a node's Node does not answer, and when it saw that first. It stands in the node's object for
 * people; the node's agent never writes it.
 */
public record Outage(State state, Instant since) {

    /** How the Node is. */
    public enum State {
        NOT_READY("NotReady"),
        /** The cluster has none of this name. */
        MISSING("Missing");

        private final String text;

        State(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /** The state of this text; empty for any other. */
        public static Optional<State> of(String text) {
            for (State state : values()) {
                if (state.text.equals(text)) {
                    return Optional.of(state);
                }
            }
            return Optional.empty();
        }
    }
}
