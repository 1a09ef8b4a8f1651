package io.imexagent.agent.runtime;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The event loop of a program. */
final class EventLoop {

    private static final int BLOCKED_CHECK_SECONDS = 5;

    private EventLoop() {}

    /** One on its way, made on a thread of its own: Netty loads its native part, which takes some tens of milliseconds. */
    static CompletableFuture<Vertx> begin() {
        return CompletableFuture.supplyAsync(
                EventLoop::create,
                task -> Thread.ofPlatform().name("start-vertx").daemon().start(task));
    }

    /** One. A look for blocked threads each second, which is the default, is a good part of what an idle agent does. */
    static Vertx create() {
        return Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setBlockedThreadCheckInterval(BLOCKED_CHECK_SECONDS)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(2)
                .setInternalBlockingPoolSize(1));
    }
}
