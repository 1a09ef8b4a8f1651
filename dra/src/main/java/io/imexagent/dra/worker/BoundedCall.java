package io.imexagent.dra.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Calls what may hang, such as a driver, on a worker. While a call hangs no other is made; its result is dropped. */
public final class BoundedCall<T> {

    private final Worker worker;
    private final Duration deadline;
    private @Nullable CompletableFuture<T> hanging;

    /** Calls on a worker for them alone; a caller waits so long for its call, and before it for one that hung. */
    public BoundedCall(Worker worker, Duration deadline) {
        this.worker = worker;
        this.deadline = deadline;
    }

    /** The result; empty where it, or the one before, hangs. Fails as the call did, or where the worker is closed. */
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
