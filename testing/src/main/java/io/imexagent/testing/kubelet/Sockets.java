package io.imexagent.testing.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** gRPC connections to Unix sockets, over one thread. */
final class Sockets implements AutoCloseable {

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    /** A connection as the kubelet dials a registration socket, with the escaped path as authority. */
    ManagedChannel registration(Path socket) {
        return channel(socket, URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8));
    }

    /** A connection as the kubelet dials a plugin's services. */
    ManagedChannel services(Path socket) {
        return channel(socket, "localhost");
    }

    /** Runs something later, on the thread of the connections. */
    void later(Duration pause, Runnable task) {
        ScheduledExecutorService timer = loop;
        var _ = timer.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    private ManagedChannel channel(Path socket, String authority) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .eventLoopGroup(loop)
                .channelType(EpollDomainSocketChannel.class)
                .overrideAuthority(authority)
                // A Unix socket has no such option, and Netty would warn of it.
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .build();
    }
}
