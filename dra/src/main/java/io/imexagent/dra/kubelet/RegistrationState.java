package io.imexagent.dra.kubelet;

import java.time.Instant;

/** Where the plugin stands with the kubelet. */
public sealed interface RegistrationState {

    /** The state's name, a metric label. */
    String label();

    /** The kubelet has not answered since the registration socket appeared. */
    record NotYet() implements RegistrationState {
        @Override
        public String label() {
            return "not_yet";
        }
    }

    /**
     * The kubelet uses the plugin.
     *
     * @param at when it said so
     */
    record Registered(Instant at) implements RegistrationState {
        @Override
        public String label() {
            return "registered";
        }
    }

    /**
     * The kubelet does not use the plugin: it said no, or a socket was taken or lost while the agent ran.
     *
     * @param error why, one line
     * @param at since when
     */
    record Rejected(String error, Instant at) implements RegistrationState {
        @Override
        public String label() {
            return "rejected";
        }
    }
}
