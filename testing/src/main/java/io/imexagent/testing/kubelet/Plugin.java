package io.imexagent.testing.kubelet;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.imexagent.testing.proto.health.DRAResourceHealthGrpc;
import io.imexagent.testing.proto.health.DeviceHealth;
import io.imexagent.testing.proto.health.NodeWatchResourcesRequest;
import io.imexagent.testing.proto.health.NodeWatchResourcesResponse;
import io.imexagent.testing.proto.v1.DRAPluginGrpc;
import io.imexagent.testing.proto.v1.Device;
import io.imexagent.testing.proto.v1.NodePrepareResourceResponse;
import io.imexagent.testing.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.testing.proto.v1.NodeUnprepareResourcesRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A plugin that is registered. Safe for any thread. */
public final class Plugin {

    /** The node service that the kubelet likes best. */
    public static final String V1 = "v1.DRAPlugin";

    /** The node service of older kubelets. Its messages are those of v1 without shares, field for field. */
    public static final String V1BETA1 = "v1beta1.DRAPlugin";

    private static final String SERVICES = "k8s.io.kubelet.pkg.apis.dra.";
    private static final String HEALTH = "v1alpha1.DRAResourceHealth";

    private final KubeletEvent.Registered registration;
    private final KubeletOptions options;
    private final ManagedChannel channel;
    private final Consumer<KubeletEvent> events;
    private volatile boolean closed;

    Plugin(
            KubeletEvent.Registered registration,
            KubeletOptions options,
            ManagedChannel channel,
            Consumer<KubeletEvent> events) {
        this.registration = registration;
        this.options = options;
        this.channel = channel;
        this.events = events;
    }

    /** What it registered with. */
    public KubeletEvent.Registered registration() {
        return registration;
    }

    /**
     * Asks the plugin to prepare claims and waits for its answer to each, by UID; {@link PluginCallException} where the
     * call failed or left a claim without an answer.
     */
    public Map<String, ClaimResult> prepare(List<Claim> claims) {
        var request = NodePrepareResourcesRequest.newBuilder();
        claims.forEach(claim -> request.addClaims(wire(claim)));
        Map<String, ClaimResult> results = new HashMap<>();
        call(DRAPluginGrpc.getNodePrepareResourcesMethod(), request.build())
                .getClaimsMap()
                .forEach((uid, answer) -> results.put(uid, prepared(answer)));
        return complete("NodePrepareResources", claims, results);
    }

    /** Asks the plugin to unprepare claims; see {@link #prepare}. */
    public Map<String, ClaimResult> unprepare(List<Claim> claims) {
        var request = NodeUnprepareResourcesRequest.newBuilder();
        claims.forEach(claim -> request.addClaims(wire(claim)));
        Map<String, ClaimResult> results = new HashMap<>();
        call(DRAPluginGrpc.getNodeUnprepareResourcesMethod(), request.build())
                .getClaimsMap()
                .forEach((uid, answer) -> results.put(uid, result(answer.getError(), List.of())));
        return complete("NodeUnprepareResources", claims, results);
    }

    /** Follows its health, where it reports any. */
    void watchHealth() {
        if (!closed && registration.services().contains(HEALTH)) {
            DRAResourceHealthGrpc.newStub(channel)
                    .nodeWatchResources(NodeWatchResourcesRequest.getDefaultInstance(), new HealthWatch());
        }
    }

    Path socket() {
        return registration.socket();
    }

    void close() {
        closed = true;
        channel.shutdownNow();
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        String name = String.valueOf(method.getBareMethodName());
        String full = MethodDescriptor.generateFullMethodName(SERVICES + registration.service(), name);
        try {
            return ClientCalls.blockingUnaryCall(
                    channel,
                    method.toBuilder().setFullMethodName(full).build(),
                    CallOptions.DEFAULT.withDeadlineAfter(options.callTimeout),
                    request);
        } catch (StatusRuntimeException failure) {
            throw new PluginCallException(
                    failure.getStatus().getCode().name(), name + " failed: " + failure.getMessage(), failure);
        }
    }

    private static Map<String, ClaimResult> complete(
            String method, List<Claim> claims, Map<String, ClaimResult> results) {
        long skipped = claims.stream()
                .filter(claim -> !results.containsKey(claim.uid()))
                .count();
        if (skipped > 0) {
            throw new PluginCallException("SKIPPED", method + " skipped " + skipped + " ResourceClaims");
        }
        return results;
    }

    private static io.imexagent.testing.proto.v1.Claim wire(Claim claim) {
        return io.imexagent.testing.proto.v1.Claim.newBuilder()
                .setNamespace(claim.namespace())
                .setName(claim.name())
                .setUid(claim.uid())
                .build();
    }

    private static ClaimResult prepared(NodePrepareResourceResponse answer) {
        return result(
                answer.getError(),
                answer.getDevicesList().stream().map(Plugin::device).toList());
    }

    private static ClaimResult result(String error, List<ClaimResult.Device> devices) {
        return error.isEmpty() ? new ClaimResult.Done(devices) : new ClaimResult.Failed(error);
    }

    private static ClaimResult.Device device(Device device) {
        return new ClaimResult.Device(
                device.getRequestNamesList(),
                device.getPoolName(),
                device.getDeviceName(),
                device.getCdiDeviceIdsList(),
                device.hasShareId() ? Optional.of(device.getShareId()) : Optional.empty());
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

    /** The stream of health, opened again a while after it ends. */
    private final class HealthWatch implements StreamObserver<NodeWatchResourcesResponse> {

        @Override
        public void onNext(NodeWatchResourcesResponse message) {
            events.accept(new KubeletEvent.Health(
                    registration.driver(),
                    message.getDevicesList().stream().map(Plugin::status).toList()));
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
                events.accept(new KubeletEvent.HealthEnded(
                        registration.driver(), status.getCode().name()));
                CompletableFuture.delayedExecutor(options.healthRetry.toNanos(), TimeUnit.NANOSECONDS)
                        .execute(Plugin.this::watchHealth);
            }
        }
    }
}
