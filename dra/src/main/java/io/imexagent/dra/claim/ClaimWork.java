package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares and unprepares single claims in the book: plan and effects in one go, on the lane of claims. Whatever fails
 * is an answer.
 */
public final class ClaimWork {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimWork.class);

    private final ClaimBook book;
    private final ClaimRules rules;
    private final Supplier<Optional<Refusal>> gate;
    private final InstantSource clock;

    public ClaimWork(ClaimBook book, ClaimRules rules, Supplier<Optional<Refusal>> gate, InstantSource clock) {
        this.book = book;
        this.rules = rules;
        this.gate = gate;
        this.clock = clock;
    }

    /** Whether the ledger has the claim's answer, at a first glance. Anywhere, the event loop too: the node is not asked. */
    public boolean seemsAnswered(ClaimRef ref) {
        return ClaimState.answered(ref, book.ledger(), entry -> List.of()).isPresent();
    }

    /** What would become of the claim, at a first glance. Anywhere. */
    PrepareOutcome foresee(ClaimFacts facts) {
        return plan(facts, book.ledger());
    }

    /** The plan, unless the gate is shut: it keeps new promises back, and never one that was made. */
    private PrepareOutcome plan(ClaimFacts facts, Ledger ledger) {
        PrepareOutcome outcome = rules.plan(facts, ledger, clock.instant());
        return outcome instanceof PrepareOutcome.Ready ready && ready.promisesAnew()
                ? gate.get().<PrepareOutcome>map(PrepareOutcome.Refused::new).orElse(outcome)
                : outcome;
    }

    /** The answer out of the ledger, with its CDI spec made sure of; empty where the ledger has none (any more). */
    Optional<PrepareAnswer> answer(ClaimRef ref) {
        return guarded(
                () -> book.locked(session -> {
                    Optional<PrepareOutcome.Ready> ready = rules.answered(ref, session.ledger());
                    if (ready.isPresent()) {
                        session.run(ready.get().effects());
                    }
                    return ready.map(ClaimWork::prepared);
                }),
                refusal -> Optional.of(new PrepareAnswer.Refused(refusal)));
    }

    /** Prepares the claim of these facts. */
    PrepareAnswer prepare(ClaimFacts facts) {
        return guarded(
                () -> book.locked(session -> switch (plan(facts, session.ledger())) {
                    case PrepareOutcome.Refused refused -> new PrepareAnswer.Refused(refused.refusal());
                    case PrepareOutcome.Ready ready -> lastLookAndCarryOut(session, ready);
                }),
                PrepareAnswer.Refused::new);
    }

    /** Unprepares the claim. */
    UnprepareAnswer unprepare(ClaimUid claim) {
        return guarded(
                () -> book.locked(session -> {
                    session.run(UnpreparePlanner.plan(claim, session.ledger(), clock.instant()));
                    return new UnprepareAnswer.Done();
                }),
                UnprepareAnswer.Failed::new);
    }

    private PrepareAnswer lastLookAndCarryOut(ClaimBook.Session session, PrepareOutcome.Ready ready)
            throws IOException {
        Optional<Refusal> objection = ready.promisesAnew() ? rules.lastLook(ready) : Optional.empty();
        return objection.isPresent() ? new PrepareAnswer.Refused(objection.get()) : carryOut(session, ready);
    }

    private static PrepareAnswer carryOut(ClaimBook.Session session, PrepareOutcome.Ready ready) throws IOException {
        ClaimUid claim = ready.entry().uid();
        Optional<ClaimEntry> before = session.ledger().entry(claim);
        try {
            session.run(ready.effects());
            return prepared(ready);
        } catch (IOException | RuntimeException failure) {
            if (!(before.orElse(null) instanceof ClaimEntry.Completed)) {
                undo(session, claim, before);
            }
            throw failure;
        }
    }

    /** Leaves the claim as it was before: a refusal leaves no entry. What cannot be undone, the sweep finds. */
    private static void undo(ClaimBook.Session session, ClaimUid claim, Optional<ClaimEntry> before) {
        try {
            session.run(List.of(
                    new Effect.RemoveCdi(claim),
                    before.<Effect>map(Effect.RecordEntry::new).orElseGet(() -> new Effect.ForgetEntry(claim))));
        } catch (IOException e) {
            LOG.warn("failed prepare could not be undone, it stays begun uid={} reason=\"{}\"", claim, e.getMessage());
        }
    }

    private static PrepareAnswer prepared(PrepareOutcome.Ready ready) {
        return new PrepareAnswer.Prepared(
                ready.entry().devices().stream().map(PreparedDevice::handed).toList());
    }

    private static <A> A guarded(Attempted<A> work, Function<Refusal, A> refused) {
        try {
            return work.run();
        } catch (ForeignClaimsException e) {
            return refused.apply(new Refusal(RefusalCode.FOREIGN_CLAIMS, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            return refused.apply(new Refusal(
                    RefusalCode.EFFECT_FAILED, Objects.requireNonNullElse(e.getMessage(), "a file failed: " + e)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refused.apply(Refusals.stopping());
        }
    }

    @FunctionalInterface
    private interface Attempted<A> {
        A run() throws IOException, InterruptedException;
    }
}
