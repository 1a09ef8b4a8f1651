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
 * Processes all claims that wait for the worker at a time in their order, under one lock, and saves them together: a
 * save costs as much for ten claims as for one. No call is answered before its result is durable.
 */
record GroupCommit(PreparedClaims claims, Worker worker, Queue<WaitingAction<?>> waiting) {

    /** The most actions of one session, which bounds how much the checkpoint grows before its size is checked again. */
    private static final int MOST = 8;

    /**
     * After this time a session starts no further action, so that the first call does not wait long for slow ones after
     * it.
     */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    GroupCommit(PreparedClaims claims, Worker worker) {
        this(claims, worker, new ConcurrentLinkedQueue<>());
    }

    /**
     * Queues an action on a claim. It does not run if its result is cancelled before its turn. A failing file becomes a
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

    /**
     * Called by the worker once for each queued action; the queue may be empty, since a session runs several actions.
     */
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

    /** Adds the next action whose result was not cancelled to the group; false if the queue is empty. */
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

    /**
     * A queued action, and after it ran its outcome, which waits for the save. Used by the worker alone, except for the
     * result.
     */
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

        /** Runs the action. A failing file or a defect of one claim does not affect the others. */
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
