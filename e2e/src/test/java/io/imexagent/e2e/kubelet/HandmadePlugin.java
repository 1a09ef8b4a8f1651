package io.imexagent.e2e.kubelet;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.imexagent.testing.proto.health.DRAResourceHealthGrpc;
import io.imexagent.testing.proto.health.NodeWatchResourcesRequest;
import io.imexagent.testing.proto.health.NodeWatchResourcesResponse;
import io.imexagent.testing.proto.registration.InfoRequest;
import io.imexagent.testing.proto.registration.PluginInfo;
import io.imexagent.testing.proto.registration.RegistrationGrpc;
import io.imexagent.testing.proto.registration.RegistrationStatus;
import io.imexagent.testing.proto.registration.RegistrationStatusResponse;
import io.imexagent.testing.proto.v1.DRAPluginGrpc;
import io.imexagent.testing.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.testing.proto.v1.NodePrepareResourcesResponse;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A bad plugin, all services on one socket: leaves every claim without an answer, and ends each stream of health after
 * one report.
 */
final class HandmadePlugin implements AutoCloseable {

    final List<String> authorities = new CopyOnWriteArrayList<>();
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Server server;

    private HandmadePlugin(Path socket, PluginInfo info) throws IOException {
        Files.createDirectories(socket.resolveSibling(""));
        server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .addService(new Registration(info))
                .addService(new Node())
                .addService(new Health())
                .intercept(new AuthorityRecorder(authorities))
                .build()
                .start();
    }

    /** A plugin of the driver with this file name, whose services are behind the endpoint. */
    static HandmadePlugin in(Path root, String name, String endpoint) throws IOException {
        return new HandmadePlugin(
                socket(root, name),
                PluginInfo.newBuilder()
                        .setType("DRAPlugin")
                        .setName("compute-domain.nvidia.com")
                        .setEndpoint(endpoint)
                        .addSupportedVersions("v1.DRAPlugin")
                        .addSupportedVersions("v1.DRAResourceHealth")
                        .build());
    }

    static Path socket(Path root, String name) {
        return root.resolve("plugins_registry").resolve(name);
    }

    @Override
    public void close() {
        try {
            server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        }
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    private static final class Registration extends RegistrationGrpc.RegistrationImplBase {

        private final PluginInfo info;

        Registration(PluginInfo info) {
            this.info = info;
        }

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> call) {
            call.onNext(info);
            call.onCompleted();
        }

        @Override
        public void notifyRegistrationStatus(
                RegistrationStatus request, StreamObserver<RegistrationStatusResponse> call) {
            call.onNext(RegistrationStatusResponse.getDefaultInstance());
            call.onCompleted();
        }
    }

    private static final class Node extends DRAPluginGrpc.DRAPluginImplBase {

        @Override
        public void nodePrepareResources(
                NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> call) {
            call.onNext(NodePrepareResourcesResponse.getDefaultInstance());
            call.onCompleted();
        }
    }

    private static final class Health extends DRAResourceHealthGrpc.DRAResourceHealthImplBase {

        @Override
        public void nodeWatchResources(
                NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> call) {
            call.onNext(NodeWatchResourcesResponse.getDefaultInstance());
            call.onCompleted();
        }
    }
}
