package io.imexagent.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls something that may hang, such as a driver or a file that a driver answers, on a worker, which hangs in the
 * caller's place. While a call hangs no other is made, and what it returns in the end is dropped.
 */
public final class BoundedCall<T> {

    private final Worker worker;
    private final Duration deadline;
    private @Nullable CompletableFuture<T> hanging;

    /** A worker for these calls alone, and how long a caller waits for its call, and before it for one that hung. */
    public BoundedCall(Worker worker, Duration deadline) {
        this.worker = worker;
        this.deadline = deadline;
    }

    /**
     * The call's result; empty where it, or the one before, does not return within the deadline. The {@link
     * ExecutionException} has what the call threw, or {@link Worker.QueueFullException} where the worker is closed.
     */
    public synchronized Optional<T> result(Callable<T> call) throws InterruptedException, ExecutionException {
        if (hanging != null && !ends(hanging)) {
            return Optional.empty();
        }
        CompletableFuture<T> running = worker.submit(call);
        hanging = ends(running) ? null : running;
        return hanging == null ? Optional.of(running.get()) : Optional.empty();
    }

    private boolean ends(CompletableFuture<T> running) throws InterruptedException {
        try {
            running.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException ended) {
            return true;
        } catch (TimeoutException hangs) {
            return false;
        }
    }
}
