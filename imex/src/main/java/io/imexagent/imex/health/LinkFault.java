package io.imexagent.imex.health;

/** Two nodes that refuse each other's connection, which waiting does not fix; {@code from} reports it. */
public record LinkFault(LinkFaultKind kind, String from, String to) {

    public enum LinkFaultKind {
        VERSION_MISMATCH(ConnectionState.VERSION_MISMATCH, "version mismatch"),
        NODE_MAP_MISMATCH(ConnectionState.NODE_MAP_MISMATCH, "node-map mismatch"),
        AUTHENTICATION_ERROR(ConnectionState.AUTHENTICATION_ERROR, "authentication error");

        private final ConnectionState state;
        private final String text;

        LinkFaultKind(ConnectionState state, String text) {
            this.state = state;
            this.text = text;
        }

        public ConnectionState state() {
            return state;
        }

        public String text() {
            return text;
        }
    }
}
