package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.imexagent.dra.kubelet.DraSettings.PeerPolicy;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import io.imexagent.worker.Deadline;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * gRPC services on one Unix socket. Input, output and handlers run on the event loop of one Vert.x context. The methods
 * of this class block: call them on other threads, one call at a time.
 */
final class SocketServer {

    /** Well above what a pod can hold; the claims of a request have some 400 bytes each. */
    private static final int LARGEST_MESSAGE = 1 << 20;

    /** The kubelet opens one connection and queues what goes beyond. */
    private static final int CALLS_PER_CONNECTION = 128;

    private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);

    private final SocketFile file;
    private final List<BindableService> services;
    private final ContextInternal context;
    private final PeerPolicy peers;
    private final DraObserver observer;
    private final List<Server> draining = new ArrayList<>();
    private @Nullable Server current;

    SocketServer(
            DraSettings settings,
            Path socket,
            List<BindableService> services,
            ContextInternal context,
            DraObserver observer) {
        this.file = new SocketFile(socket, settings.pluginDirectory());
        this.services = List.copyOf(services);
        this.context = context;
        this.peers = settings.peers();
        this.observer = observer;
    }

    SocketFile file() {
        return file;
    }

    /** Listens; a server that lost its file lets its calls finish. A failure says why and what to do. */
    void start() throws IOException {
        new DurableFiles(FileSteps.ALL_PASS, "the agent needs write access below kubelet.root")
                .createDirectory(file.path().resolveSibling(""));
        file.clear();
        Server server;
        try {
            server = listening();
        } catch (IOException cause) {
            String reason = cause.getCause() == null
                    ? FileFault.reason(cause)
                    : String.valueOf(cause.getCause().getMessage());
            throw new IOException("cannot listen on " + file.path() + ": " + reason, cause);
        }
        shutdown();
        current = server;
    }

    private Server listening() throws IOException {
        try {
            return listening(file.hidden().getFirst());
        } catch (SocketFile.TwoMountsException apart) {
            return listening(file.hidden().getLast());
        }
    }

    private Server listening(Path hidden) throws IOException {
        SocketFile.requireFit(hidden);
        Server server = build(hidden);
        try {
            server.start();
            file.publish(hidden);
            return server;
        } catch (IOException failure) {
            server.shutdownNow();
            throw failure;
        }
    }

    void removeFile() {
        try {
            file.remove();
        } catch (IOException failure) {
            LOG.warn("socket not removed path={} reason=\"{}\"", file.path(), failure.getMessage());
        }
    }

    /** Takes no more connections and calls; those in flight go on. */
    void shutdown() {
        draining.removeIf(Server::isTerminated);
        if (current != null) {
            draining.add(current.shutdown());
            current = null;
        }
    }

    /** Waits until the calls in flight have finished and their connections are closed; whether they have by then. */
    boolean awaitEnd(Deadline deadline) throws InterruptedException {
        boolean finished = true;
        for (Server server : draining) {
            finished &= server.awaitTermination(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        }
        return finished;
    }

    void abort() {
        shutdown();
        draining.forEach(Server::shutdownNow);
    }

    private Server build(Path socket) {
        var builder = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelFactory(this::channel)
                // A Unix socket has no such option, and Netty would warn of it at every connection.
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(context.nettyEventLoop())
                .workerEventLoopGroup(context.nettyEventLoop())
                .executor(task -> context.runOnContext(nothing -> task.run()))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                .permitKeepAliveWithoutCalls(true)
                .permitKeepAliveTime(1, TimeUnit.SECONDS);
        services.forEach(builder::addService);
        return builder.build();
    }

    private EpollServerDomainSocketChannel channel() {
        var channel = new EpollServerDomainSocketChannel();
        channel.pipeline().addFirst("peer-gate", new PeerCheck());
        return channel;
    }

    /** At the head of the listening channel, so a refused connection is closed before any handler or buffer exists. */
    private final class PeerCheck extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (!(message instanceof EpollDomainSocketChannel connection)) {
                throw new IllegalStateException(file.path() + " accepted " + message + ", which is no Unix connection");
            }
            if (admits(connection)) {
                context.fireChannelRead(connection);
            } else {
                observer.connectionRefused();
                // No event loop knows the channel yet.
                connection.unsafe().closeForcibly();
            }
        }

        private boolean admits(EpollDomainSocketChannel connection) {
            try {
                // SO_PEERCRED, unix(7): the peer as it was when it connected, which it cannot choose.
                PeerCredentials peer = connection.peerCredentials();
                if (peers.admits(peer.uid())) {
                    return true;
                }
                LOG.warn(
                        "connection refused, only root and kubelet.uid may connect socket={} uid={} pid={}",
                        file.path(),
                        peer.uid(),
                        peer.pid());
            } catch (IOException failure) {
                LOG.warn(
                        "connection refused, its user is unknown socket={} reason=\"{}\"",
                        file.path(),
                        failure.getMessage());
            }
            return false;
        }
    }
}
