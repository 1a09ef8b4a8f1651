package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.imexagent.dra.proto.health.DRAResourceHealthGrpc;
import io.imexagent.dra.proto.health.DeviceIdentifier;
import io.imexagent.dra.proto.health.HealthStatus;
import io.imexagent.dra.proto.health.NodeWatchResourcesRequest;
import io.imexagent.dra.proto.health.NodeWatchResourcesResponse;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Streams the health of the node's devices: the full list at once, after every change, and often enough that the
 * kubelet considers no device lost. A slow consumer gets the latest list. Its state belongs to one Vert.x context.
 */
final class HealthService extends DRAResourceHealthGrpc.DRAResourceHealthImplBase {

    /** The contract requires three reports within a timeout; a fourth allows for a late timer. */
    private static final int REPORTS_PER_TIMEOUT = 4;

    private static final String V1ALPHA1 = "v1alpha1.DRAResourceHealth";

    private final DeviceHealthSource source;
    private final Duration timeout;
    private final ContextInternal context;
    private final InstantSource clock;
    private final DraObserver observer;
    private final AtomicBoolean changed = new AtomicBoolean();

    /** The open calls, and whether each has missed a report because its buffer was full. */
    private final Map<ServerCallStreamObserver<NodeWatchResourcesResponse>, Boolean> streams = new LinkedHashMap<>();

    private long timer;
    private boolean stopped;

    HealthService(
            DeviceHealthSource source,
            Duration timeout,
            ContextInternal context,
            InstantSource clock,
            DraObserver observer) {
        this.source = source;
        this.timeout = timeout;
        this.context = context;
        this.clock = clock;
        this.observer = observer;
    }

    /**
     * The v1alpha1 service with the same streams, for kubelets of 1.34 to 1.36, which support no later version; the
     * kubelet of 1.40 no longer supports it.
     */
    static BindableService v1alpha1(HealthService service) {
        return EarlierVersion.of(service, V1ALPHA1);
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
            for (var stream : List.copyOf(streams.keySet())) {
                forget(stream);
                stream.onCompleted();
            }
        });
    }

    @Override
    public void nodeWatchResources(NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> call) {
        if (!(call instanceof ServerCallStreamObserver<NodeWatchResourcesResponse> stream)) {
            throw new IllegalStateException("a server's call is a " + call.getClass());
        }
        if (stopped) {
            stream.onError(
                    Status.UNAVAILABLE.withDescription("the agent is stopping").asRuntimeException());
            return;
        }
        stream.setOnCancelHandler(() -> forget(stream));
        stream.setOnReadyHandler(() -> {
            if (streams.getOrDefault(stream, false)) {
                offer(stream, message());
            }
        });
        streams.put(stream, false);
        observer.healthStreams(streams.size());
        stream.onNext(message());
    }

    /** Schedules a report; several changes in a row make one report. */
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
        List.copyOf(streams.keySet()).forEach(stream -> offer(stream, message));
    }

    private void offer(
            ServerCallStreamObserver<NodeWatchResourcesResponse> stream, NodeWatchResourcesResponse message) {
        boolean room = stream.isReady();
        streams.replace(stream, !room);
        if (room) {
            stream.onNext(message);
        }
    }

    private void forget(ServerCallStreamObserver<NodeWatchResourcesResponse> stream) {
        if (streams.remove(stream) != null) {
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
}
