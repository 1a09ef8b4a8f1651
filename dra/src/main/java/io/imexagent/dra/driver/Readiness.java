package io.imexagent.dra.driver;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.publish.PublicationState;

/** Tells in one line each how far serving has come. */
final class Readiness {

    private Readiness() {}

    static Condition registered(RegistrationState state) {
        return switch (state) {
            case RegistrationState.NotYet notYet ->
                new Condition("registered", false, "the kubelet has not answered yet");
            case RegistrationState.Registered registered ->
                new Condition("registered", true, "since " + registered.at());
            case RegistrationState.Rejected rejected ->
                new Condition("registered", false, "since " + rejected.at() + ": " + rejected.error());
        };
    }

    static Condition published(PublicationState state) {
        return switch (state) {
            case PublicationState.Pending pending ->
                new Condition("published", false, "waiting for " + pending.waitingFor());
            case PublicationState.Published published ->
                new Condition("published", true, published.devices() + " devices since " + published.since());
            case PublicationState.Withheld withheld ->
                new Condition("published", false, withheld.why().message());
            case PublicationState.Failing failing ->
                new Condition(
                        "published",
                        false,
                        "failing since " + failing.since() + ": "
                                + failing.failure().message());
        };
    }
}
