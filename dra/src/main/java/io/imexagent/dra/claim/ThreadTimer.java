package io.imexagent.dra.claim;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A timer with one thread of its own. A closed one forgets its tasks and takes new ones without running them. */
public final class ThreadTimer implements Timer, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ThreadTimer.class);

    private final ScheduledThreadPoolExecutor executor;

    /** A timer whose thread has this name and starts with the first task. */
    public ThreadTimer(String name) {
        executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name(name).daemon().factory(), new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Pending after(Duration delay, Runnable task) {
        ScheduledFuture<?> scheduled = executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException defect) {
            LOG.error("a timer's task failed", defect);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
