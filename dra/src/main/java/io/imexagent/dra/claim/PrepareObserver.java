package io.imexagent.dra.claim;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.RefusalCode;
import java.time.Duration;
import java.util.Optional;

/**
 * Hears what happens to the kubelet's requests and to the ledger, for metrics. A request is one call with all of its
 * claims, as the public driver counts them. Called on any thread; must not block.
 */
public interface PrepareObserver {

    /** An observer that does not care. */
    PrepareObserver NONE = new PrepareObserver() {};

    /** A request has come in. */
    default void began(Operation operation) {}

    /**
     * A request has been answered.
     *
     * @param took how long it took
     * @param failure the code of its first claim that failed; empty where none did
     */
    default void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {}

    /** A claim of a request was refused. */
    default void refused(Operation operation, RefusalCode code) {}

    /** A prepared claim was ended without the kubelet, since its ResourceClaim is gone. */
    default void endedAsGone() {}

    /** The ledger has changed; called once at start too. */
    default void ledger(Ledger ledger) {}
}
