package io.imexagent.dra.kubelet;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.imexagent.dra.proto.health.DRAResourceHealthGrpc;
import io.imexagent.dra.proto.health.DeviceIdentifier;
import io.imexagent.dra.proto.health.HealthStatus;
import io.imexagent.dra.proto.health.NodeWatchResourcesRequest;
import io.imexagent.dra.proto.health.NodeWatchResourcesResponse;
import io.vertx.core.internal.ContextInternal;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Streams the health of the node's devices: the complete list at once, after every change, and often enough that the
 * kubelet never takes a device for lost. A consumer that does not keep up gets the latest list once it has room. Its
 * state belongs to one Vert.x context, on which the calls arrive, too.
 */
final class HealthService extends DRAResourceHealthGrpc.DRAResourceHealthImplBase {

    /** The contract wants three reports within a timeout; a fourth leaves room for a late timer. */
    private static final int REPORTS_PER_TIMEOUT = 4;

    private final DeviceHealthSource source;
    private final Duration timeout;
    private final ContextInternal context;
    private final Clock clock;
    private final DraObserver observer;
    private final AtomicBoolean changed = new AtomicBoolean();
    private final Set<Stream> streams = new LinkedHashSet<>();
    private long timer;
    private boolean stopped;

    HealthService(
            DeviceHealthSource source, Duration timeout, ContextInternal context, Clock clock, DraObserver observer) {
        this.source = source;
        this.timeout = timeout;
        this.context = context;
        this.clock = clock;
        this.observer = observer;
    }

    void start() {
        source.onChange(this::changed);
        context.runOnContext(
                nothing -> timer = context.setPeriodic(timeout.toMillis() / REPORTS_PER_TIMEOUT, tick -> report()));
    }

    void stop() {
        context.runOnContext(nothing -> {
            stopped = true;
            context.owner().cancelTimer(timer);
            List.copyOf(streams).forEach(Stream::end);
        });
    }

    @Override
    public void nodeWatchResources(NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> call) {
        if (!(call instanceof ServerCallStreamObserver<NodeWatchResourcesResponse> server)) {
            throw new IllegalStateException("a server's call is a " + call.getClass());
        }
        if (stopped) {
            server.onError(
                    Status.UNAVAILABLE.withDescription("the agent is stopping").asRuntimeException());
            return;
        }
        var stream = new Stream(server);
        server.setOnCancelHandler(() -> forget(stream));
        server.setOnReadyHandler(stream::ready);
        streams.add(stream);
        observer.healthStreams(streams.size());
        stream.send(message());
    }

    /** Several changes in a row make one report. */
    private void changed() {
        if (changed.compareAndSet(false, true)) {
            context.runOnContext(nothing -> {
                changed.set(false);
                report();
            });
        }
    }

    private void report() {
        if (streams.isEmpty()) {
            return;
        }
        NodeWatchResourcesResponse message = message();
        List.copyOf(streams).forEach(stream -> stream.offer(message));
    }

    private void forget(Stream stream) {
        if (streams.remove(stream)) {
            observer.healthStreams(streams.size());
        }
    }

    private NodeWatchResourcesResponse message() {
        long now = clock.instant().getEpochSecond();
        var message = NodeWatchResourcesResponse.newBuilder();
        for (DeviceHealth health : source.current()) {
            message.addDevicesBuilder()
                    .setDevice(DeviceIdentifier.newBuilder()
                            .setPoolName(health.pool())
                            .setDeviceName(health.device()))
                    .setHealth(HealthStatus.valueOf(health.status().name()))
                    .setLastUpdatedTime(now)
                    .setHealthCheckTimeoutSeconds(timeout.toSeconds())
                    .setMessage(health.message());
        }
        return message.build();
    }

    private final class Stream {

        private final ServerCallStreamObserver<NodeWatchResourcesResponse> call;
        private boolean behind;

        Stream(ServerCallStreamObserver<NodeWatchResourcesResponse> call) {
            this.call = call;
        }

        void send(NodeWatchResourcesResponse message) {
            behind = false;
            call.onNext(message);
        }

        void offer(NodeWatchResourcesResponse message) {
            if (call.isReady()) {
                send(message);
            } else {
                behind = true;
            }
        }

        void ready() {
            if (behind) {
                send(message());
            }
        }

        void end() {
            forget(this);
            call.onCompleted();
        }
    }
}
