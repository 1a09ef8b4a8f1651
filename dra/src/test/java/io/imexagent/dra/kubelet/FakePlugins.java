package io.imexagent.dra.kubelet;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.imexagent.dra.proto.registration.InfoRequest;
import io.imexagent.dra.proto.registration.PluginInfo;
import io.imexagent.dra.proto.registration.RegistrationGrpc;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What may listen on sockets of the directory of registrations: plugins, and what only looks like one. */
final class FakePlugins implements AutoCloseable {

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<Server> servers = new ArrayList<>();
    private final List<ServerSocketChannel> channels = new ArrayList<>();
    private final AtomicInteger queries = new AtomicInteger();

    /** A plugin of a DRA driver. */
    void driver(Path socket, String name) throws IOException {
        plugin(socket, "DRAPlugin", name);
    }

    void plugin(Path socket, String type, String name) throws IOException {
        var info = PluginInfo.newBuilder()
                .setType(type)
                .setName(name)
                .setEndpoint("/x")
                .build();
        servers.add(NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .directExecutor()
                .addService(new RegistrationGrpc.RegistrationImplBase() {
                    @Override
                    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> call) {
                        queries.incrementAndGet();
                        call.onNext(info);
                        call.onCompleted();
                    }
                })
                .build()
                .start());
        warmUp(socket);
    }

    /** Queries it once, since under load the first query of a JVM may take longer than answers are waited for. */
    private void warmUp(Path socket) {
        try {
            var _ = InfoCall.of(socket);
        } catch (IOException tooLarge) {
            // The tests see that for themselves.
        }
        queries.decrementAndGet();
    }

    /** How often plugins were asked who they are. */
    int queries() {
        return queries.get();
    }

    /** Takes connections and says nothing. */
    void hanging(Path socket) throws IOException {
        channels.add(listen(socket));
    }

    /** Says this to whoever comes, again and again until the peer hangs up. */
    void saying(Path socket, byte[] bytes) throws IOException {
        ServerSocketChannel channel = listen(socket);
        channels.add(channel);
        Thread.ofVirtual().start(() -> {
            while (channel.isOpen()) {
                try (SocketChannel connection = channel.accept();
                        OutputStream out = Channels.newOutputStream(connection)) {
                    while (connection.isOpen()) {
                        out.write(bytes);
                    }
                } catch (IOException hungUp) {
                    // The next peer gets the same.
                }
            }
        });
    }

    /** Lets the last one that was started go. */
    void stopLast() throws InterruptedException {
        servers.removeLast().shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }

    static ServerSocketChannel listen(Path socket) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    @Override
    public void close() throws IOException {
        servers.forEach(Server::shutdownNow);
        for (ServerSocketChannel channel : channels) {
            channel.close();
        }
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
}
