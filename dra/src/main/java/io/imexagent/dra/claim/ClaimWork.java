package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.worker.Signal;
import io.imexagent.dra.worker.Worker;
import io.imexagent.dra.worker.Worker.QueueFullException;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and plans claims, and carries plans out, the latter on the worker; the clock is for aborted claims. */
record ClaimWork<D>(
        PreparedClaims claims,
        Claims api,
        ClaimRules<D> rules,
        Worker worker,
        Signal changes,
        PrepareSettings settings,
        BooleanSupplier stopping,
        InstantSource clock,
        LongSupplier nanoTime) {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimWork.class);

    /** Asks Kubernetes for the claim, and the driver for what it wants; not if it was unprepared a moment ago. Blocking. */
    Outcome<AskedClaim<D>> ask(ClaimRef ref) throws ApiException, InterruptedException {
        Outcome<ReadClaim> found = ReadClaim.of(api, ref)
                .unless(claim -> ClaimPlanner.aborted(ref, claim.status(), claims.ledger(), clock.instant()));
        return switch (found) {
            case Outcome.Refused<ReadClaim>(Refusal reason) -> Outcome.refused(reason);
            case Outcome.Accepted<ReadClaim>(ReadClaim claim) ->
                rules.read(ref, claim).map(demand -> new AskedClaim<>(ref, claim.status(), demand));
        };
    }

    /** What would become of the claim, at a first glance. Anywhere. */
    Outcome<PreparePlan> foresee(AskedClaim<D> claim) {
        return plan(claim, claims.ledger());
    }

    /** The plan, unless the gate is shut: it keeps new promises back, and never one that was made. */
    private Outcome<PreparePlan> plan(AskedClaim<D> claim, Ledger ledger) {
        return new ClaimPlanner<>(rules)
                .plan(claim, ledger, clock.instant())
                .unless(plan -> plan.grant().flatMap(granted -> settings.gate().get()));
    }

    /** Whether the ledger has the claim's answer, at a first glance. Anywhere. */
    boolean seemsPrepared(ClaimRef ref) {
        return ClaimPlanner.prepared(ref, claims.ledger()).isPresent();
    }

    /** The answer out of the ledger, with its CDI spec made sure of; empty where the ledger has none by now. */
    Outcome<Optional<Prepared>> answer(ClaimRef ref) {
        return guarded(session -> {
            Optional<PreparePlan> plan = new ClaimPlanner<>(rules).answered(ref, session.ledger());
            if (plan.isPresent()) {
                session.run(plan.get().effects());
            }
            return Outcome.accepted(plan.map(ClaimWork::answer));
        });
    }

    Outcome<Prepared> prepare(AskedClaim<D> claim) {
        return guarded(session -> plan(claim, session.ledger())
                .unless(plan -> objection(session, plan))
                .then(plan -> carryOut(session, plan)));
    }

    private Optional<Refusal> objection(PreparedClaims.Session session, PreparePlan plan) throws IOException {
        if (plan.grant().isEmpty()) {
            return Optional.empty();
        }
        Optional<Refusal> full = session.full().map(Refusals::checkpointFull);
        return full.isPresent()
                ? full
                : rules.lastLook(plan.entry().uid(), plan.grant().get());
    }

    Outcome<Unprepared> unprepare(ClaimUid claim) {
        return guarded(session -> {
            session.run(ClaimPlanner.unprepare(claim, session.ledger(), clock.instant()));
            return Outcome.accepted(new Unprepared());
        });
    }

    private static Outcome<Prepared> carryOut(PreparedClaims.Session session, PreparePlan plan) throws IOException {
        ClaimUid claim = plan.entry().uid();
        Optional<ClaimEntry> before = session.ledger().entry(claim);
        try {
            session.run(plan.effects());
            return Outcome.accepted(answer(plan));
        } catch (IOException | RuntimeException failure) {
            if (plan.grant().isPresent()) {
                undo(session, claim, before);
            }
            throw failure;
        }
    }

    /** Leaves the claim as it was before: a refusal leaves no entry. What cannot be undone, the sweep finds. */
    private static void undo(PreparedClaims.Session session, ClaimUid claim, Optional<ClaimEntry> before) {
        try {
            session.run(List.of(
                    new Effect.RemoveCdi(claim),
                    before.<Effect>map(Effect.RecordEntry::new).orElseGet(() -> new Effect.ForgetEntry(claim))));
        } catch (IOException e) {
            LOG.warn("failed prepare could not be undone, it stays begun uid={} reason=\"{}\"", claim, e.getMessage());
        }
    }

    /** Why the worker took no task. */
    Refusal turnedAway(QueueFullException full) {
        return stopping.getAsBoolean() ? Refusals.stopping() : Refusals.overloaded(String.valueOf(full.getMessage()));
    }

    private static Prepared answer(PreparePlan plan) {
        return new Prepared(
                plan.entry().devices().stream().map(PreparedDevice::handed).toList());
    }

    private <A> Outcome<A> guarded(PreparedClaims.Work<Outcome<A>> work) {
        try {
            return claims.locked(work);
        } catch (PreparedClaims.ForeignClaims e) {
            return Outcome.refused(RefusalCode.FOREIGN_CLAIMS, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return Outcome.refused(
                    RefusalCode.EFFECT_FAILED, Objects.requireNonNullElse(e.getMessage(), "a file failed: " + e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.refused(Refusals.stopping());
        }
    }
}
