package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.PreparedClaims.ForeignClaims;
import io.imexagent.dra.claim.PreparedClaims.LedgerTransaction;
import io.imexagent.dra.claim.PreparedClaims.LockedAction;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Claims that wait for the worker at the same time are dealt with in the order in which they came, under one lock, and
 * saved at once: a save costs as much for ten claims as for one. Nobody is answered before what he is told is durable.
 */
record GroupCommit(PreparedClaims claims, Worker worker, Queue<WaitingAction<?>> waiting) {

    /** Of one session: how much a save grows by before the checkpoint's size is looked at again. */
    private static final int MOST = 8;

    /** After this a session takes nobody along any more: who came first waits for a slow one behind only so long. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    GroupCommit(PreparedClaims claims, Worker worker) {
        this(claims, worker, new ConcurrentLinkedQueue<>());
    }

    /**
     * Queues work on a claim, which is not done where its result is cancelled before its turn. A file that fails is a
     * refusal; exceptions are those of {@link Worker#submit}.
     */
    <A> CompletableFuture<Outcome<A>> submit(ClaimUid claim, LockedAction<Outcome<A>> work) {
        var mine = new WaitingAction<>(claim, work);
        waiting.add(mine);
        var _ = worker.submit(this::work).whenComplete((done, failure) -> {
            if (failure != null && waiting.remove(mine)) {
                mine.result.completeExceptionally(failure);
            }
        });
        return mine.result;
    }

    /** The worker calls once for each that was queued, and may find nobody: some went along with others. */
    private boolean work() {
        var group = new ArrayList<WaitingAction<?>>();
        if (!next(group)) {
            return true;
        }
        try {
            claims.locked(session -> {
                Ledger saved = session.ledger();
                long startNanos = System.nanoTime();
                do {
                    group.getLast().run(session, saved);
                } while (group.size() < MOST && System.nanoTime() - startNanos < LONGEST.toNanos() && next(group));
                return true;
            });
            group.forEach(each -> each.answer(Optional.empty()));
        } catch (IOException failure) {
            Refusal refusal = refusal(failure);
            group.forEach(each -> each.answer(Optional.of(refusal)));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            group.forEach(each -> each.answer(Optional.of(Refusals.stopping())));
        } catch (Throwable defect) {
            group.forEach(each -> each.result.completeExceptionally(defect));
        }
        return true;
    }

    /** Takes the next one that still wants an answer. */
    private boolean next(List<WaitingAction<?>> group) {
        WaitingAction<?> next = waiting.poll();
        while (next != null && next.result.isDone()) {
            next = waiting.poll();
        }
        return next != null && group.add(next);
    }

    private static Refusal refusal(IOException failure) {
        return new Refusal(
                failure instanceof ForeignClaims ? RefusalCode.FOREIGN_CLAIMS : RefusalCode.EFFECT_FAILED,
                Objects.requireNonNullElse(failure.getMessage(), "a file failed: " + failure));
    }

    /** Work that waits, then its outcome, which waits for the save. Of the worker alone but for the result. */
    private static final class WaitingAction<A> {

        private final ClaimUid claim;
        private final LockedAction<Outcome<A>> work;
        private final CompletableFuture<Outcome<A>> result = new CompletableFuture<>();
        private Optional<Outcome<A>> outcome = Optional.empty();
        private boolean changes;

        WaitingAction(ClaimUid claim, LockedAction<Outcome<A>> work) {
            this.claim = claim;
            this.work = work;
        }

        /** A claim whose own file fails, or that shows a defect, costs the others nothing. */
        void run(LedgerTransaction session, Ledger saved) {
            try {
                outcome = Optional.of(work.in(session));
            } catch (IOException failure) {
                outcome = Optional.of(Outcome.refused(refusal(failure)));
            } catch (RuntimeException defect) {
                result.completeExceptionally(defect);
            }
            changes = !session.ledger().entry(claim).equals(saved.entry(claim));
        }

        void answer(Optional<Refusal> unsaved) {
            Optional<Outcome<A>> kept = unsaved.isEmpty() || !changes ? outcome : Optional.empty();
            kept.or(() -> unsaved.map(Outcome::<A>refused)).ifPresent(result::complete);
        }
    }
}
