package io.imexagent.agent.http;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Closes connections on which nothing gets done: a client has so long to send a whole request, and as long to take the
 * whole answer. A limit on idleness alone would let a client hold its connection by a byte now and then. For the event
 * loop only.
 */
final class SlowClients {

    private final Vertx vertx;
    private final long limitMs;
    private final Map<HttpConnection, Long> timers = new HashMap<>();

    SlowClients(Vertx vertx, long limitMs) {
        this.vertx = vertx;
        this.limitMs = limitMs;
    }

    /** A connection is new. */
    void opened(HttpConnection connection) {
        timers.put(connection, timer(connection));
        connection.closeHandler(
                closed -> Optional.ofNullable(timers.remove(connection)).ifPresent(vertx::cancelTimer));
    }

    /** A whole request has come, or a whole answer was taken. */
    void progressed(HttpConnection connection) {
        timers.computeIfPresent(connection, (same, timer) -> {
            vertx.cancelTimer(timer);
            return timer(connection);
        });
    }

    private long timer(HttpConnection connection) {
        return vertx.setTimer(limitMs, late -> cut(connection));
    }

    /** Vert.x would first wait until what it has written is taken. */
    private static void cut(HttpConnection connection) {
        if (!(connection instanceof HttpServerConnection served)) {
            throw new IllegalStateException(connection + " is no connection of a server");
        }
        Channel channel = served.channelHandlerContext().channel();
        channel.unsafe().close(channel.voidPromise());
    }
}
