package io.imexagent.agent.http;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.transport.Transport;

/**
 * The native transport of Linux, whose listening sockets let only so many connections in. Vert.x itself has no such limit,
 * and would show a connection only after TLS.
 */
public final class LimitedTransport implements Transport {

    private final ConnectionLimit gate;

    /** A transport with the usual limits, which hold for all servers that listen on it together. */
    public LimitedTransport() {
        this(new ConnectionLimit());
    }

    LimitedTransport(ConnectionLimit gate) {
        this.gate = gate;
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
}
