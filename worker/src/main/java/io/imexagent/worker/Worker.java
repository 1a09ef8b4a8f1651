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
 * An ordered worker with a name, a bounded queue and a platform thread of its own. Tasks run in the order in which they
 * came, so what they touch needs no lock; one that hangs hangs its worker alone, and {@link #busyFor()} tells.
 */
public final class Worker implements AutoCloseable {

    private static final long IDLE = Long.MIN_VALUE;

    private final String name;
    private final WorkerObserver observer;
    private final LongSupplier nanoTime;
    private final ThreadPoolExecutor worker;
    private final AtomicLong runningSince = new AtomicLong(IDLE);

    /** A worker in whose queue {@code capacity} tasks may wait. */
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
     * Queues a task, which is not run where its result is cancelled before its turn. The result is completed with
     * {@link QueueFullException} where the worker takes no more.
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

    /** Why a task of a worker failed, in the words of what it threw. */
    public static String reason(ExecutionException failure) {
        Throwable cause = failure.getCause();
        return cause == null || cause.getMessage() == null ? String.valueOf(cause) : cause.getMessage();
    }

    /** How long the present task has been running; empty while the worker is idle. */
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

    /** Takes no more tasks, turns away those that wait, and interrupts the one that runs. */
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

    /** A task that was turned away: the worker's queue is full, or the worker is closed. */
    public static final class QueueFullException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        QueueFullException(String message) {
            super(message);
        }
    }

    /** Hears what a worker does, for metrics. Called on the worker's and its callers' threads; must not block. */
    public interface WorkerObserver {

        WorkerObserver NONE = new WorkerObserver() {};

        default void ended(String worker, Duration took) {}

        /** A task was turned away since the queue was full, or the worker closed. */
        default void rejected(String worker) {}
    }
}
