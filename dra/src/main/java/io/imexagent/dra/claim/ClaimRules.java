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
 * The rules of one DRA driver for claims, over the current state of the node. {@code D} is the demand of a claim, with
 * all that the API server reports about it. Safe for any thread; writes nothing.
 */
public interface ClaimRules<D> {

    /** The driver's name in claims. */
    String driverName();

    /**
     * Reads the demand of a claim from the API server; called once for each attempt. Blocking; interrupted if the
     * prepare is ended.
     */
    Outcome<D> read(ClaimRef ref, ReadClaim claim) throws ApiException, InterruptedException;

    /**
     * Why the prepare on this thread still waits inside {@link #read}, if the driver has a more precise reason than a
     * missing answer of the API server. Called on any thread; never blocks.
     */
    default Optional<Refusal> waiting(Thread prepare) {
        return Optional.empty();
    }

    /**
     * Called when a prepare has ended in any way, on its thread, after the last read. Resources that were acquired for
     * this prepare alone may be released, unless the ledger has the claim. Never blocks.
     */
    default void ended() {}

    /** Plans what the claim is granted. Never blocks. */
    Outcome<Grant> plan(ClaimRef ref, D demand, Ledger ledger);

    /** The changes that a prepared claim makes to containers; empty if they are unknown at the moment. Never blocks. */
    Optional<ClaimEdits> edits(ClaimEntry.Completed entry);

    /**
     * The effects that write or correct the CDI spec of a prepared claim; none while its content is unknown. Never
     * blocks.
     */
    default List<Effect> spec(ClaimEntry.Completed entry) {
        return edits(entry)
                .<List<Effect>>map(edits -> List.of(new Effect.WriteCdi(entry.uid(), edits)))
                .orElse(List.of());
    }

    /** The facts about a prepared device for the status of its claim, as far as they are known now. Never blocks. */
    default Facts facts(PreparedDevice device) {
        return Facts.PREPARED;
    }

    /** The devices that a claim with this status was granted, derived from the status alone. Pure. */
    Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status);

    /** The recall of claims whose entries are lost. */
    ClaimRecall recall();

    /** A last check on the worker, before a grant is written: why the plan is no longer valid; empty if it is. */
    default Optional<Refusal> recheck(ClaimUid uid, Grant grant) {
        return Optional.empty();
    }

    /**
     * Why a written grant must be revoked, by information about the claim that was still being read when the grant was
     * written; empty if it stands. Blocks for a bounded time; interrupted if the prepare is ended.
     */
    default Optional<Refusal> lateObjection(D demand) throws InterruptedException {
        return Optional.empty();
    }

    /**
     * The state of the node on which the specs of all claims depend, comparable with equals; empty while unknown. Never
     * blocks.
     */
    Optional<?> basis();

    /** Calls the listener after each change of the node that may change a plan. The listener returns at once. */
    void onChange(Runnable listener);
}
