package io.imexagent.dra.kubelet;

import io.imexagent.core.check.Condition;
import java.time.Instant;

/** Where the plugin stands with the kubelet. */
public sealed interface RegistrationState {

    default String label() {
        return switch (this) {
            case RegistrationPending _ -> "not_yet";
            case RegistrationDone _ -> "registered";
            case RegistrationRejected _ -> "rejected";
        };
    }

    /** Whether the kubelet uses the plugin, for readiness. */
    default Condition condition() {
        return switch (this) {
            case RegistrationPending _ -> new Condition("registered", false, "the kubelet has not answered yet");
            case RegistrationDone(Instant at) -> new Condition("registered", true, "since " + at);
            case RegistrationRejected(String error, Instant at) ->
                new Condition("registered", false, "since " + at + ": " + error);
        };
    }

    /** The kubelet has not answered since the registration socket appeared. */
    record RegistrationPending() implements RegistrationState {}

    /** The kubelet uses the plugin; it confirmed that at this time. */
    record RegistrationDone(Instant at) implements RegistrationState {}

    /** The kubelet refused the plugin, or a socket was taken or lost; the error is one line. */
    record RegistrationRejected(String error, Instant at) implements RegistrationState {}
}
