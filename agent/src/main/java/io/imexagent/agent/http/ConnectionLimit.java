package io.imexagent.agent.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets only so many connections in, and of them only so many of one address, so that a client that never closes its own
 * leaves room for others. It stands at the head of the listening channel's pipeline: what is too much is closed before a
 * byte of it is read, and before TLS.
 */
@ChannelHandler.Sharable
final class ConnectionLimit extends ChannelInboundHandlerAdapter {

    /** Those who scrape, probe and look are a handful; a connection with TLS costs about 100 kB. */
    private static final int MOST = 64;

    private static final int MOST_OF_ONE_ADDRESS = 16;
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

    private final int most;
    private final int mostOfOneAddress;
    private final Map<Object, Integer> openOf = new HashMap<>();
    private int open;
    private boolean full;

    ConnectionLimit() {
        this(MOST, MOST_OF_ONE_ADDRESS);
    }

    ConnectionLimit(int most, int mostOfOneAddress) {
        this.most = most;
        this.mostOfOneAddress = mostOfOneAddress;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof Channel connection)) {
            throw new IllegalStateException("accepted " + message + ", which is no connection");
        }
        Object address = address(connection.remoteAddress());
        if (enter(address)) {
            connection.closeFuture().addListener(closed -> leave(address));
            context.fireChannelRead(connection);
        } else {
            // No event loop knows it yet.
            connection.unsafe().closeForcibly();
        }
    }

    private static Object address(SocketAddress peer) {
        return peer instanceof InetSocketAddress internet
                ? Optional.<Object>ofNullable(internet.getAddress()).orElse(peer)
                : "unknown";
    }

    private synchronized boolean enter(Object address) {
        int ofAddress = openOf.getOrDefault(address, 0);
        if (open >= most || ofAddress >= mostOfOneAddress) {
            if (!full) {
                LOG.warn("http connections at their limit, more are closed open={} address={}", open, address);
            }
            full = true;
            return false;
        }
        open++;
        openOf.put(address, ofAddress + 1);
        return true;
    }

    private synchronized void leave(Object address) {
        open--;
        openOf.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
        if (open == 0) {
            full = false;
        }
    }
}
