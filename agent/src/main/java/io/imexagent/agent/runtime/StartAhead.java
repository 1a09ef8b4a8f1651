package io.imexagent.agent.runtime;

import io.imexagent.agent.log.Logging;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What a start needs whatever its configuration says, begun while that is read: the log and Vert.x. Each takes some tens
 * of milliseconds of a core: the JDK and Vert.x look through every jar for other implementations, and Netty loads its
 * native part. Nothing here reads the host, or opens a socket or a connection.
 *
 * @param vertx Vert.x, on its way
 */
record StartAhead(CompletableFuture<Vertx> vertx) {

    private static final int BLOCKED_CHECK_SECONDS = 5;

    /** Begins. */
    static StartAhead begin() {
        var vertx = new CompletableFuture<Vertx>();
        Thread.ofPlatform().name("start-vertx").daemon().start(() -> {
            try {
                Logging.load();
                vertx.complete(newVertx());
            } catch (Throwable failure) {
                vertx.completeExceptionally(failure);
            }
        });
        return new StartAhead(vertx);
    }

    /** A look for blocked threads each second, which is the default, is a good part of what an idle agent does. */
    private static Vertx newVertx() {
        return Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setBlockedThreadCheckInterval(BLOCKED_CHECK_SECONDS)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(2)
                .setInternalBlockingPoolSize(1));
    }
}
