package io.imexagent.testing.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.imexagent.testing.proto.registration.InfoRequest;
import io.imexagent.testing.proto.registration.PluginInfo;
import io.imexagent.testing.proto.registration.RegistrationGrpc;
import io.imexagent.testing.proto.registration.RegistrationStatus;
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
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Asks a plugin what it is, judges it as the kubelet does, and tells it the result. Its connections share one thread. */
final class Registrar implements AutoCloseable {
    /** The deadline of a question at registration. */
    private static final Duration INFO_TIMEOUT = Duration.ofSeconds(1);

    private final KubeletOptions options;
    private final Consumer<KubeletEvent> events;
    private final Supplier<Optional<String>> refusal;
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    /** The supplier says why every plugin is rejected just now, if so. */
    Registrar(KubeletOptions options, Consumer<KubeletEvent> events, Supplier<Optional<String>> refusal) {
        this.options = options;
        this.events = events;
        this.refusal = refusal;
    }

    /** The plugin behind the socket, if it can be used. */
    Optional<Plugin> register(Path socket, Collection<Plugin> others) {
        // The kubelet dials a registration socket with the escaped path as authority.
        ManagedChannel channel = channel(socket, URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8));
        try {
            var stub = RegistrationGrpc.newBlockingStub(channel);
            PluginInfo info = stub.withDeadlineAfter(INFO_TIMEOUT).getInfo(InfoRequest.getDefaultInstance());
            Optional<String> service = info.getSupportedVersionsList().stream()
                    .filter(options.knownServices::contains)
                    .findFirst();
            Optional<String> fault = refusal.get().or(() -> fault(info, service, others));
            stub.withDeadlineAfter(INFO_TIMEOUT)
                    .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                            .setPluginRegistered(fault.isEmpty())
                            .setError(fault.orElse(""))
                            .build());
            if (fault.isPresent()) {
                events.accept(new KubeletEvent.PluginRejected(socket, fault.get()));
                return Optional.empty();
            }
            Path endpoint = Path.of(info.getEndpoint());
            var plugin = new KubeletEvent.PluginRegistered(
                    info.getName(), socket, endpoint, info.getSupportedVersionsList(), service.orElseThrow());
            return Optional.of(new Plugin(plugin, options, channel(endpoint, "localhost"), events));
        } catch (StatusRuntimeException failure) {
            events.accept(new KubeletEvent.PluginUnreachable(socket, String.valueOf(failure.getMessage())));
            return Optional.empty();
        } finally {
            channel.shutdownNow();
        }
    }

    private static Optional<String> fault(PluginInfo info, Optional<String> service, Collection<Plugin> others) {
        if (!info.getType().equals("DRAPlugin")) {
            return Optional.of("no handler for plugin type " + info.getType());
        }
        if (!Path.of(info.getEndpoint()).isAbsolute()) {
            return Optional.of(
                    "endpoint \"" + info.getEndpoint() + "\" of plugin " + info.getName() + " is not an absolute path");
        }
        if (service.isEmpty()) {
            return Optional.of("none of the services of plugin " + info.getName() + " is known: "
                    + info.getSupportedVersionsList());
        }
        boolean taken = others.stream()
                .map(Plugin::registration)
                .anyMatch(other -> other.driver().equals(info.getName())
                        && other.endpoint().equals(Path.of(info.getEndpoint())));
        return taken
                ? Optional.of(
                        "endpoint " + info.getEndpoint() + " of plugin " + info.getName() + " is already registered")
                : Optional.empty();
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

    @Override
    public void close() {
        // Calls that were just begun still come to the thread, to end.
        loop.shutdownGracefully(20, 1000, TimeUnit.MILLISECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
