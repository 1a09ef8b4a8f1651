package io.imexagent.dra.kubelet;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Who listens on a Unix socket, by SO_PEERCRED (unix(7)): that is told across namespaces of the network too, such as the
 * pod's of the public driver, which {@code /proc/net/unix} does not show.
 */
record SocketPeer(int pid) {

    /** A process in a PID namespace that this one does not see. */
    static final SocketPeer HIDDEN = new SocketPeer(0);

    /** A listener whose queue is full would keep a connection waiting. */
    private static final int PATIENCE_MILLIS = 1000;

    /** The process that listens, by its number here; {@link #HIDDEN} where it has none. Blocks. */
    static SocketPeer of(Path socket) throws IOException {
        var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            var asking = new Asking();
            ChannelFuture connection = new Bootstrap()
                    .group(loop)
                    .channel(EpollDomainSocketChannel.class)
                    .handler(asking)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS)
                    .connect(new DomainSocketAddress(socket.toFile()))
                    .awaitUninterruptibly();
            if (!connection.isSuccess()) {
                throw new IOException("cannot connect to " + socket, connection.cause());
            }
            return new SocketPeer(asking.pid.join());
        } catch (CompletionException failure) {
            throw new IOException("cannot ask who listens on " + socket, failure.getCause());
        } finally {
            // Closes the connection, too.
            var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    /** The process in words. */
    String text() {
        return equals(HIDDEN) ? "a process that cannot be seen from here" : "process " + pid;
    }

    /** Asks as soon as it is connected: a listener may hang up at once, and its channel is closed then. */
    private static final class Asking extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<Integer> pid = new CompletableFuture<>();

        @Override
        public void channelActive(ChannelHandlerContext context) throws IOException {
            pid.complete(((EpollDomainSocketChannel) context.channel())
                    .peerCredentials()
                    .pid());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            pid.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            pid.completeExceptionally(new IOException("it hung up"));
        }
    }
}
