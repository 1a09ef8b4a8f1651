package io.imexagent.dra.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A gRPC connection to a Unix socket, with a thread of its own. */
final class SocketClient implements AutoCloseable {

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final ManagedChannel channel;

    SocketClient(Path socket) {
        this(socket, "localhost");
    }

    SocketClient(Path socket, String authority) {
        channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .eventLoopGroup(loop)
                .channelType(EpollDomainSocketChannel.class)
                .overrideAuthority(authority)
                // A Unix socket has no such option, and Netty would warn of it.
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .build();
    }

    ManagedChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        try {
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
        }
    }
}
