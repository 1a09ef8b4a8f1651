package io.imexagent.dra.publish;

import io.imexagent.core.check.Condition;
import io.imexagent.core.inventory.Finding;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Instant;

/** How far the node's devices have come on their way to the scheduler. */
public sealed interface PublicationState {

    /** They are on their way; what comes next is a clause. */
    record Pending(String waitingFor) implements PublicationState {}

    /** The API server has what the node has: so many devices, since then. */
    record Published(int devices, Instant since) implements PublicationState {}

    /** Nothing is published, as the node's state or the configuration wants it. */
    record Withheld(Finding why) implements PublicationState {}

    /** Calls have failed since then, the last for this reason; it is tried again. */
    record Failing(ApiFailure failure, Instant since) implements PublicationState {}

    /** Whether the API server has what the node has, for readiness. */
    default Condition condition() {
        return switch (this) {
            case Pending(String waitingFor) -> new Condition("published", false, "waiting for " + waitingFor);
            case Published(int devices, Instant since) ->
                new Condition("published", true, devices + " devices since " + since);
            case Withheld(Finding why) -> new Condition("published", false, why.message());
            case Failing(ApiFailure failure, Instant since) ->
                new Condition("published", false, "failing since " + since + ": " + failure.message());
        };
    }
}
