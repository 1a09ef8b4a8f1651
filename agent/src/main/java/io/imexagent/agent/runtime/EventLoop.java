package io.imexagent.agent.runtime;

import io.imexagent.agent.http.LimitedTransport;
import io.imexagent.worker.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loops of a program: one for the kubelet, and one for the HTTP pages, so that a flood of HTTP requests
 * delays no claim.
 *
 * <p>Each has its own Vert.x. Two loops of one Vert.x would save a thread and 0.1 MB, but Vert.x assigns contexts to
 * its loops in turn, so that the separation would depend on the order in which parts start.
 */
final class EventLoop {

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    private static final int BLOCKED_CHECK_SECONDS = 5;
    private static final int PAGES_BLOCKED_CHECK_SECONDS = 60;

    private EventLoop() {}

    /** Runs {@link #create} on its own thread: Netty takes some tens of milliseconds to load its native library. */
    static CompletableFuture<Vertx> begin() {
        return CompletableFuture.supplyAsync(
                EventLoop::create,
                task -> Thread.ofPlatform().name("start-vertx").daemon().start(task));
    }

    /** Creates the Vert.x of the kubelet's calls. It never uses its worker threads, so that none starts. */
    static Vertx create() {
        return Vertx.vertx(options(BLOCKED_CHECK_SECONDS).setWorkerPoolSize(1));
    }

    /** Creates the Vert.x of the pages, with worker threads to make them and a limit on connections. */
    static Vertx forPages() {
        return Vertx.builder()
                .with(options(PAGES_BLOCKED_CHECK_SECONDS).setWorkerPoolSize(2))
                .withTransport(new LimitedTransport())
                .build();
    }

    /** Whether the event loop runs a task within this time. */
    static boolean answers(CompletableFuture<Vertx> vertx, Duration within) {
        try {
            vertx.thenCompose(running -> Future.<Void>future(answer -> running.runOnContext(answer::complete))
                            .toCompletionStage())
                    .get(within.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException blocked) {
            return false;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Returns the Vert.x for closing once {@code starting} has completed or failed: Netty logs a stack trace if an
     * event loop ends while a server begins to listen on it.
     */
    static CompletableFuture<Vertx> onceEnded(CompletableFuture<?> starting, CompletableFuture<Vertx> vertx) {
        return starting.handle((value, failure) -> true).thenCombine(vertx, (ended, toClose) -> toClose);
    }

    static void close(Deadline deadline, List<CompletableFuture<Vertx>> all) throws InterruptedException {
        try {
            CompletableFuture.allOf(all.stream()
                            .map(one ->
                                    one.thenCompose(running -> running.close().toCompletionStage()))
                            .toArray(CompletableFuture<?>[]::new))
                    .get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            LOG.warn("http did not stop in order", failure);
        }
    }

    /** Options without the default check for blocked threads each second, a large part of an idle agent's load. */
    private static VertxOptions options(int blockedCheckSeconds) {
        return new VertxOptions()
                .setPreferNativeTransport(true)
                .setBlockedThreadCheckInterval(blockedCheckSeconds)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                .setEventLoopPoolSize(1)
                .setInternalBlockingPoolSize(1);
    }
}
