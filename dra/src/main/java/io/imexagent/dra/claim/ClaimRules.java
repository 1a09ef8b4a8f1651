package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DeviceReports.Facts;
import java.util.List;
import java.util.Optional;

/**
 * What one DRA driver makes of claims, by what the node has at this moment; {@code D} is what a claim asks of the
 * driver, with all that Kubernetes says about it. Safe for any thread; writes nothing.
 */
public interface ClaimRules<D> {

    /** The driver, as claims name it. */
    String driverName();

    /** What the claim asks for, as Kubernetes has it; read once. Blocking; interrupted where the prepare was ended. */
    Outcome<D> read(ClaimRef ref, ReadClaim claim) throws ApiException, InterruptedException;

    /**
     * What the prepare of this thread waits for inside {@link #read}, where that is known better than by the silence of the
     * API server. Called on any thread; never blocks.
     */
    default Optional<Refusal> waiting(Thread prepare) {
        return Optional.empty();
    }

    /**
     * A prepare is over, however it ended; called on its thread, after the last read. What was taken for it alone may
     * be given back, unless the ledger has the claim. Never blocks.
     */
    default void ended() {}

    /** What the claim gets. Never blocks. */
    Outcome<Grant> plan(ClaimRef ref, D demand, Ledger ledger);

    /** What a prepared claim does to containers, as far as the node can tell at this moment. Never blocks. */
    Optional<ClaimEdits> edits(ClaimEntry.Completed entry);

    /** What gives a prepared claim its CDI spec, or gets it right: nothing while the node cannot tell. Never blocks. */
    default List<Effect> spec(ClaimEntry.Completed entry) {
        return edits(entry)
                .<List<Effect>>map(edits -> List.of(new Effect.WriteCdi(entry.uid(), edits)))
                .orElse(List.of());
    }

    /** What the status of a claim is to say of a prepared device, as far as the node can tell now. Never blocks. */
    default Facts facts(PreparedDevice device) {
        return Facts.PREPARED;
    }

    /** The devices that a claim of this status would have been given, from the status alone. Pure. */
    Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status);

    /** What tells of claims whose entries are lost. */
    ClaimRecall recall();

    /** A last look on the worker, before a grant is written: why the plan no longer holds; empty where it does. */
    default Optional<Refusal> recheck(ClaimUid uid, Grant grant) {
        return Optional.empty();
    }

    /**
     * Why the claim gets nothing after all, where something about it was still being read when its grant was written; the
     * grant is then taken back. Blocking, within bounds; interrupted where the prepare was ended.
     */
    default Optional<Refusal> lateObjection(D demand) throws InterruptedException {
        return Optional.empty();
    }

    /** What the specs of all claims depend on, with a meaningful equals; empty while the node cannot tell. Never blocks. */
    Optional<?> basis();

    /** Calls the listener after each change of the node that may change a plan. The listener returns at once. */
    void onChange(Runnable listener);
}
