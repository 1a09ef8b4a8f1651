package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.PreparedClaims.LedgerTransaction;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker.QueueFullException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Reads claims, plans them, and executes plans on the worker; the clock is for aborted claims. */
record ClaimOperations<D>(
        PreparedClaims claims,
        Claims api,
        ClaimRules<D> rules,
        GroupCommit commits,
        Signal changes,
        PrepareSettings settings,
        BooleanSupplier stopping,
        ClaimHost host) {

    /**
     * Reads the claim from the API server, and its demand by the driver's rules. A claim that was just unprepared is
     * refused unread. Blocking.
     */
    Outcome<ClaimDemand<D>> ask(ClaimRef ref) throws ApiException, InterruptedException {
        Outcome<ReadClaim> found = ReadClaim.of(api, ref)
                .refuseIf(claim -> ClaimPlanner.aborted(
                        ref, claim.status(), claims.ledger(), host.clock().instant()));
        return switch (found) {
            case Outcome.Refused<ReadClaim>(Refusal reason) -> Outcome.refused(reason);
            case Outcome.Accepted<ReadClaim>(ReadClaim claim) ->
                rules.read(ref, claim).map(demand -> new ClaimDemand<>(ref, claim.status(), demand));
        };
    }

    /** A dry-run plan over the current ledger. May be called on any thread. */
    Outcome<PreparePlan> dryRun(ClaimDemand<D> claim) {
        return plan(claim, claims.ledger());
    }

    /** Plans the claim. A closed gate refuses new claims, never a prepared one. */
    private Outcome<PreparePlan> plan(ClaimDemand<D> claim, Ledger ledger) {
        return new ClaimPlanner<>(rules)
                .plan(claim, ledger, host.clock().instant())
                .refuseIf(
                        plan -> plan.grant().flatMap(granted -> settings.gate().get()));
    }

    /** Whether the current ledger has the claim's answer. The worker decides. May be called on any thread. */
    boolean seemsPrepared(ClaimRef ref) {
        return ClaimPlanner.prepared(ref, claims.ledger()).isPresent();
    }

    /**
     * The answer from the ledger, after its CDI spec was written again if needed; empty if the ledger has no answer any
     * more.
     */
    Outcome<Optional<Prepared>> answer(LedgerTransaction session, ClaimRef ref) throws IOException {
        Optional<PreparePlan> plan = new ClaimPlanner<>(rules).answered(ref, session.ledger());
        if (plan.isPresent()) {
            session.run(plan.get().effects());
        }
        return Outcome.accepted(plan.map(ClaimOperations::answer));
    }

    Outcome<Prepared> prepare(LedgerTransaction session, ClaimDemand<D> claim) throws IOException {
        Outcome<PreparePlan> plan = plan(claim, session.ledger()).refuseIf(accepted -> objection(session, accepted));
        if (plan instanceof Outcome.Accepted<PreparePlan>(PreparePlan accepted)) {
            session.run(accepted.effects());
        }
        return plan.map(ClaimOperations::answer);
    }

    private Optional<Refusal> objection(LedgerTransaction session, PreparePlan plan) throws IOException {
        if (plan.grant().isEmpty()) {
            return Optional.empty();
        }
        return session.full()
                .map(Refusals::checkpointFull)
                .or(() -> rules.recheck(plan.entry().uid(), plan.grant().get()));
    }

    /**
     * Removes everything of the claim. {@code begun} is its prepare, if that was not durable when the unprepare
     * arrived.
     */
    Outcome<Unprepared> unprepare(LedgerTransaction session, ClaimUid claim, Optional<ClaimEntry.Started> started)
            throws IOException {
        session.run(started.<ClaimEntry>map(Function.identity())
                .or(() -> session.ledger().entry(claim))
                .map(known -> ClaimPlanner.unprepare(known, host.clock().instant()))
                .orElse(List.of()));
        return Outcome.accepted(new Unprepared());
    }

    Refusal turnedAway(QueueFullException full) {
        return stopping.getAsBoolean() ? Refusals.stopping() : Refusals.overloaded(String.valueOf(full.getMessage()));
    }

    private static Prepared answer(PreparePlan plan) {
        return new Prepared(
                plan.entry().devices().stream().map(PreparedDevice::returned).toList());
    }
}
