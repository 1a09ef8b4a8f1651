package io.imexagent.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A worker with a name, a bounded queue and a platform thread of its own. Tasks run in the order of their submission,
 * so data that only they use needs no lock. A task that hangs blocks this worker alone, and {@link #busyFor()} shows
 * it.
 */
public final class Worker implements AutoCloseable {

    private static final long IDLE = Long.MIN_VALUE;

    private final String name;
    private final WorkerObserver observer;
    private final LongSupplier nanoTime;
    private final ThreadPoolExecutor worker;
    private final AtomicLong runningSince = new AtomicLong(IDLE);

    /** A worker with a queue of at most {@code capacity} waiting tasks. */
    public Worker(String name, int capacity, WorkerObserver observer, LongSupplier nanoTime) {
        this.name = name;
        this.observer = observer;
        this.nanoTime = nanoTime;
        this.worker = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(capacity),
                Thread.ofPlatform().name("worker-" + name).daemon().factory());
    }

    /**
     * Queues a task. It does not run if its result is cancelled before its turn. The result fails with {@link
     * QueueFullException} if the queue is full or the worker is closed.
     */
    public <T> CompletableFuture<T> submit(Callable<T> task) {
        var queued = new WorkerTask<>(task);
        try {
            worker.execute(queued);
        } catch (RejectedExecutionException full) {
            observer.rejected(name);
            queued.completeExceptionally(new QueueFullException("worker " + name
                    + (worker.isShutdown()
                            ? " is closed"
                            : " is full: " + worker.getQueue().size() + " tasks wait")));
        }
        return queued;
    }

    /** Why a task failed: the message of its exception. */
    public static String reason(ExecutionException failure) {
        Throwable cause = failure.getCause();
        return cause == null || cause.getMessage() == null ? String.valueOf(cause) : cause.getMessage();
    }

    /** How long the current task has been running; empty while the worker is idle. */
    public Optional<Duration> busyFor() {
        long since = runningSince.get();
        return since == IDLE ? Optional.empty() : Optional.of(Duration.ofNanos(nanoTime.getAsLong() - since));
    }

    public int waiting() {
        return worker.getQueue().size();
    }

    public String name() {
        return name;
    }

    /** Accepts no more tasks, rejects the waiting ones, and interrupts the running one. */
    @Override
    public void close() {
        for (Runnable waiting : worker.shutdownNow()) {
            if (waiting instanceof WorkerTask<?> task) {
                task.turnAway();
            }
        }
    }

    private final class WorkerTask<T> extends CompletableFuture<T> implements Runnable {

        private final Callable<T> work;

        WorkerTask(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (isDone()) {
                return; // Whoever wanted it has cancelled it.
            }
            long start = nanoTime.getAsLong();
            runningSince.set(start);
            try {
                complete(work.call());
            } catch (Throwable failure) {
                completeExceptionally(failure);
            } finally {
                runningSince.set(IDLE);
                observer.ended(name, Duration.ofNanos(nanoTime.getAsLong() - start));
            }
        }

        void turnAway() {
            observer.rejected(name);
            completeExceptionally(new QueueFullException("worker " + name + " was closed before the task began"));
        }
    }

    /** A task was rejected: the worker's queue is full, or the worker is closed. */
    public static final class QueueFullException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        QueueFullException(String message) {
            super(message);
        }
    }

    /** Observes a worker for metrics. Called on the threads of the worker and of its callers; must not block. */
    public interface WorkerObserver {

        WorkerObserver NONE = new WorkerObserver() {};

        default void ended(String worker, Duration took) {}

        /** A task was rejected, since the queue was full or the worker closed. */
        default void rejected(String worker) {}
    }
}
