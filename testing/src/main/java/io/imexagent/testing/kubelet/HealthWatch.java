package io.imexagent.testing.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.imexagent.testing.proto.health.DRAResourceHealthGrpc;
import io.imexagent.testing.proto.health.DeviceHealth;
import io.imexagent.testing.proto.health.NodeWatchResourcesRequest;
import io.imexagent.testing.proto.health.NodeWatchResourcesResponse;
import java.time.Duration;
import java.time.Instant;

/** A plugin's stream of health, opened again a while after it ends. */
final class HealthWatch implements StreamObserver<NodeWatchResourcesResponse> {

    private final String driver;
    private final ManagedChannel channel;
    private final Duration retry;
    private final Sockets sockets;
    private final EventLog journal;
    private volatile boolean closed;

    HealthWatch(String driver, ManagedChannel channel, Duration retry, Sockets sockets, EventLog journal) {
        this.driver = driver;
        this.channel = channel;
        this.retry = retry;
        this.sockets = sockets;
        this.journal = journal;
    }

    void open() {
        if (!closed) {
            DRAResourceHealthGrpc.newStub(channel)
                    .nodeWatchResources(NodeWatchResourcesRequest.getDefaultInstance(), this);
        }
    }

    /** Opens it no more; the stream ends with its channel. */
    void close() {
        closed = true;
    }

    @Override
    public void onNext(NodeWatchResourcesResponse message) {
        journal.add(new KubeletEvent.Health(
                driver,
                message.getDevicesList().stream().map(HealthWatch::status).toList()));
    }

    @Override
    public void onError(Throwable failure) {
        ended(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
        ended(Status.OK);
    }

    private void ended(Status status) {
        if (!closed) {
            journal.add(new KubeletEvent.HealthEnded(driver, status.getCode().name()));
            sockets.later(retry, this::open);
        }
    }

    private static DeviceStatus status(DeviceHealth health) {
        return new DeviceStatus(
                health.getDevice().getPoolName(),
                health.getDevice().getDeviceName(),
                health.getHealth().name(),
                health.getMessage(),
                Instant.ofEpochSecond(health.getLastUpdatedTime()),
                Duration.ofSeconds(health.getHealthCheckTimeoutSeconds()));
    }
}
