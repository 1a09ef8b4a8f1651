package io.imexagent.dra.claim;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Sees to it that a call is answered in time: checks on its claims now and then, and makes those answer that are not
 * done at the end. One timer's task at a time serves all claims of the call.
 */
final class CallDeadline {

    private static final Timer.Pending NOTHING = () -> {};

    private final List<Ticket<?>> tickets;
    private final CompletableFuture<?> call;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final long answerBy;
    private final Duration interval;
    private final AtomicReference<Timer.Pending> pending = new AtomicReference<>(NOTHING);

    /**
     * The deadline of a call.
     *
     * @param call is complete when all tickets are
     * @param answerBy when the call has to be answered, on the monotonic clock
     * @param interval how often to check
     */
    CallDeadline(
            Collection<? extends Ticket<?>> tickets,
            CompletableFuture<?> call,
            Timer timer,
            LongSupplier nanoTime,
            long answerBy,
            Duration interval) {
        this.tickets = List.copyOf(tickets);
        this.call = call;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.answerBy = answerBy;
        this.interval = interval;
    }

    /** Begins to watch, unless the call is answered already. */
    void begin() {
        if (!call.isDone()) {
            schedule();
            var _ = call.whenComplete(
                    (answers, failure) -> pending.getAndSet(NOTHING).cancel());
        }
    }

    private void schedule() {
        Duration left = Duration.ofNanos(Math.max(0, answerBy - nanoTime.getAsLong()));
        pending.set(timer.after(left.compareTo(interval) < 0 ? left : interval, this::look));
        if (call.isDone()) {
            pending.getAndSet(NOTHING).cancel();
        }
    }

    private void look() {
        boolean over = nanoTime.getAsLong() - answerBy >= 0;
        for (Ticket<?> ticket : tickets) {
            if (!ticket.answer().isDone()) {
                (over ? ticket.expire() : ticket.check()).run();
            }
        }
        if (!over) {
            schedule();
        }
    }
}
