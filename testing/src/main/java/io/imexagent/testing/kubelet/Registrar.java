package io.imexagent.testing.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.imexagent.testing.proto.registration.InfoRequest;
import io.imexagent.testing.proto.registration.PluginInfo;
import io.imexagent.testing.proto.registration.RegistrationGrpc;
import io.imexagent.testing.proto.registration.RegistrationStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

/** Asks a plugin what it is, judges it as the kubelet does, and tells it the result. */
final class Registrar {
    /** The deadline of a question at registration. */
    private static final Duration INFO_TIMEOUT = Duration.ofSeconds(1);

    private final KubeletOptions options;
    private final Sockets sockets;
    private final EventLog journal;
    private final Supplier<Optional<String>> refusal;

    /**
     * A registrar.
     *
     * @param refusal why every plugin is rejected just now, if so
     */
    Registrar(KubeletOptions options, Sockets sockets, EventLog journal, Supplier<Optional<String>> refusal) {
        this.options = options;
        this.sockets = sockets;
        this.journal = journal;
        this.refusal = refusal;
    }

    /** The plugin behind the socket, if it can be used. */
    Optional<Plugin> register(Path socket, Collection<Plugin> others) {
        ManagedChannel channel = sockets.registration(socket);
        try {
            var stub = RegistrationGrpc.newBlockingStub(channel);
            PluginInfo info = stub.withDeadlineAfter(INFO_TIMEOUT).getInfo(InfoRequest.getDefaultInstance());
            Optional<String> fault = refusal.get().or(() -> fault(info, others));
            stub.withDeadlineAfter(INFO_TIMEOUT)
                    .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                            .setPluginRegistered(fault.isEmpty())
                            .setError(fault.orElse(""))
                            .build());
            if (fault.isPresent()) {
                journal.add(new KubeletEvent.Rejected(socket, fault.get()));
                return Optional.empty();
            }
            return Optional.of(new Plugin(registered(socket, info), options, sockets, journal));
        } catch (StatusRuntimeException failure) {
            journal.add(new KubeletEvent.Unreachable(socket, String.valueOf(failure.getMessage())));
            return Optional.empty();
        } finally {
            channel.shutdownNow();
        }
    }

    private Optional<String> fault(PluginInfo info, Collection<Plugin> others) {
        if (!info.getType().equals("DRAPlugin")) {
            return Optional.of("no handler for plugin type " + info.getType());
        }
        if (!Path.of(info.getEndpoint()).isAbsolute()) {
            return Optional.of(
                    "endpoint \"" + info.getEndpoint() + "\" of plugin " + info.getName() + " is not an absolute path");
        }
        if (service(info).isEmpty()) {
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

    private KubeletEvent.Registered registered(Path socket, PluginInfo info) {
        return new KubeletEvent.Registered(
                info.getName(),
                socket,
                Path.of(info.getEndpoint()),
                info.getSupportedVersionsList(),
                service(info).orElseThrow());
    }

    private Optional<String> service(PluginInfo info) {
        return info.getSupportedVersionsList().stream()
                .filter(options.knownServices()::contains)
                .findFirst();
    }
}
