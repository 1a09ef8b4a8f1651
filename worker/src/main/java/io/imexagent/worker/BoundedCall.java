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
 * Makes calls that may hang, such as to a driver or to a file of a driver, on a worker, so that the worker hangs and
 * not the caller. While a call hangs, no other is made; its late result is dropped.
 */
public final class BoundedCall<T> {

    private final Worker worker;
    private final Duration deadline;
    private @Nullable CompletableFuture<T> hanging;

    /**
     * Calls on a worker that serves these calls alone. The deadline limits how long a caller waits for its call, an
     * earlier hanging call included.
     */
    public BoundedCall(Worker worker, Duration deadline) {
        this.worker = worker;
        this.deadline = deadline;
    }

    /**
     * The result of the call; empty if this call or an earlier one does not return within the deadline. The {@link
     * ExecutionException} carries the exception of the call, or a {@link Worker.QueueFullException} if the worker is
     * closed.
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
