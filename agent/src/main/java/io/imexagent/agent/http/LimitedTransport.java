package io.imexagent.agent.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.transport.Transport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native transport of Linux, with a limit on accepted connections. Vert.x itself has no such limit, and would
 * report a connection only after the TLS handshake.
 */
public final class LimitedTransport implements Transport {

    /** Enough for scrapers, probes and users, who are few; a connection with TLS costs about 100 kB. */
    private static final int MOST = 64;

    private static final int MOST_OF_ONE_ADDRESS = 16;
    private static final Logger LOG = LoggerFactory.getLogger(LimitedTransport.class);

    private final int most;
    private final int mostOfOneAddress;
    private final ConnectionLimit gate = new ConnectionLimit();

    /** Creates a transport with the usual limits, which all servers that listen on it share. */
    public LimitedTransport() {
        this(MOST, MOST_OF_ONE_ADDRESS);
    }

    LimitedTransport(int most, int mostOfOneAddress) {
        this.most = most;
        this.mostOfOneAddress = mostOfOneAddress;
    }

    @Override
    public String name() {
        return EPOLL.name();
    }

    @Override
    public boolean available() {
        return EPOLL.available();
    }

    @Override
    public Throwable unavailabilityCause() {
        return EPOLL.unavailabilityCause();
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return new EpollTransport() {
            @Override
            public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
                ChannelFactory<? extends ServerChannel> channels = super.serverChannelFactory(domainSocket);
                return () -> {
                    ServerChannel channel = channels.newChannel();
                    channel.pipeline().addFirst("connection-gate", gate);
                    return channel;
                };
            }
        };
    }

    /**
     * The first handler in the listening channel's pipeline: it closes excess connections before TLS and before any
     * byte is read. The limit for one address leaves room for others if a client never closes its connections.
     */
    @ChannelHandler.Sharable
    private final class ConnectionLimit extends ChannelInboundHandlerAdapter {

        private final Map<Object, Integer> openOf = new HashMap<>();
        private int open;
        private boolean full;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            var connection = (Channel) message;
            Object address = address(connection.remoteAddress());
            if (enter(address, address.equals(address(connection.localAddress())))) {
                connection.closeFuture().addListener(closed -> leave(address));
                context.fireChannelRead(connection);
            } else {
                // The connection is not registered with an event loop yet.
                connection.unsafe().closeForcibly();
            }
        }

        private static Object address(SocketAddress peer) {
            return peer instanceof InetSocketAddress internet
                    ? Optional.<Object>ofNullable(internet.getAddress()).orElse(peer)
                    : "unknown";
        }

        /** Admits a connection. Clients on this host, such as the kubelet's probe, are exempt from the total limit. */
        private synchronized boolean enter(Object address, boolean here) {
            int ofAddress = openOf.getOrDefault(address, 0);
            if ((open >= most && !here) || ofAddress >= mostOfOneAddress) {
                if (!full) {
                    LOG.warn("http connections at their limit, new ones are closed open={} address={}", open, address);
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
}
