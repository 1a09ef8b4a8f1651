package io.imexagent.dra.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Vert.x as the agent runs it; closing it fails where an event loop was blocked meanwhile. */
public final class GuardedVertx implements AutoCloseable {

    private final Vertx vertx;
    private final List<BlockedThreadEvent> blocked = new CopyOnWriteArrayList<>();

    /** Starts it. */
    public GuardedVertx() {
        this(builder -> builder);
    }

    /** Starts it, built further. */
    public GuardedVertx(UnaryOperator<VertxBuilder> further) {
        var options = new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(1)
                .setBlockedThreadCheckInterval(100)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
                .setMaxEventLoopExecuteTime(1)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.SECONDS);
        vertx = further.apply(Vertx.builder().with(options)).build();
        ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(blocked::add);
    }

    /** Vert.x. */
    public Vertx vertx() {
        return vertx;
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        assertThat(blocked).as("blocked event loops").isEmpty();
    }
}
