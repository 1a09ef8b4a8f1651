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
import io.imexagent.testing.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.testing.proto.v1.NodeUnprepareResourcesRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A plugin that is registered. Safe for any thread. */
public final class Plugin {

    /** The node service that the kubelet likes best. */
    public static final String V1 = "v1.DRAPlugin";

    /** The node service of older kubelets. Its messages are those of v1 without shares, field for field. */
    public static final String V1BETA1 = "v1beta1.DRAPlugin";

    private static final String SERVICES = "k8s.io.kubelet.pkg.apis.dra.";

    /** The service of device health that the kubelet likes best, since 1.37. */
    public static final String HEALTH_V1 = "v1.DRAResourceHealth";

    /** The service of device health of kubelets up to 1.39. Its messages are those of v1. */
    public static final String HEALTH_V1ALPHA1 = "v1alpha1.DRAResourceHealth";

    private final KubeletEvent.PluginRegistered registration;
    private final KubeletOptions options;
    private final ManagedChannel channel;
    private final Consumer<KubeletEvent> events;
    private volatile boolean closed;

    Plugin(
            KubeletEvent.PluginRegistered registration,
            KubeletOptions options,
            ManagedChannel channel,
            Consumer<KubeletEvent> events) {
        this.registration = registration;
        this.options = options;
        this.channel = channel;
        this.events = events;
    }

    public KubeletEvent.PluginRegistered registration() {
        return registration;
    }

    /**
     * Asks the plugin to prepare claims and waits for its answer to each, by UID; {@link StatusRuntimeException} where
     * the call failed as a whole, or with DATA_LOSS where it left a claim without an answer: the kubelet fails the pod then.
     */
    public Map<String, ClaimResult> prepare(List<KubeletClaimRequest> claims) {
        var request = NodePrepareResourcesRequest.newBuilder().addAllClaims(wire(claims));
        var answers = call(DRAPluginGrpc.getNodePrepareResourcesMethod(), request.build());
        return results(claims, answers.getClaimsMap(), answer -> result(answer.getError(), answer.getDevicesList()));
    }

    /** Asks the plugin to unprepare claims; see {@link #prepare}. */
    public Map<String, ClaimResult> unprepare(List<KubeletClaimRequest> claims) {
        var request = NodeUnprepareResourcesRequest.newBuilder().addAllClaims(wire(claims));
        var answers = call(DRAPluginGrpc.getNodeUnprepareResourcesMethod(), request.build());
        return results(claims, answers.getClaimsMap(), answer -> result(answer.getError(), List.of()));
    }

    /** Follows its health, where it reports any. */
    void watchHealth() {
        if (!closed) {
            healthService()
                    .ifPresent(service -> ClientCalls.asyncServerStreamingCall(
                            channel.newCall(
                                    named(DRAResourceHealthGrpc.getNodeWatchResourcesMethod(), service),
                                    CallOptions.DEFAULT),
                            NodeWatchResourcesRequest.getDefaultInstance(),
                            new HealthWatch()));
        }
    }

    /** The service by which the kubelet follows its health: of those that both know the one that the kubelet likes best. */
    public Optional<String> healthService() {
        return options.knownHealth.stream()
                .filter(registration.services()::contains)
                .findFirst();
    }

    Path socket() {
        return registration.socket();
    }

    void close() {
        closed = true;
        channel.shutdownNow();
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                named(method, SERVICES + registration.service()),
                CallOptions.DEFAULT.withDeadlineAfter(options.callTimeout),
                request);
    }

    private static <Q, A> MethodDescriptor<Q, A> named(MethodDescriptor<Q, A> method, String service) {
        String name = String.valueOf(method.getBareMethodName());
        return method.toBuilder()
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                .build();
    }

    private static <A> Map<String, ClaimResult> results(
            List<KubeletClaimRequest> claims, Map<String, A> answers, Function<A, ClaimResult> result) {
        long skipped = claims.stream()
                .filter(claim -> !answers.containsKey(claim.uid()))
                .count();
        if (skipped > 0) {
            throw Status.DATA_LOSS
                    .withDescription("the plugin skipped " + skipped + " ResourceClaims")
                    .asRuntimeException();
        }
        return answers.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, answer -> result.apply(answer.getValue())));
    }

    private static List<io.imexagent.testing.proto.v1.Claim> wire(List<KubeletClaimRequest> claims) {
        return claims.stream()
                .map(claim -> io.imexagent.testing.proto.v1.Claim.newBuilder()
                        .setNamespace(claim.namespace())
                        .setName(claim.name())
                        .setUid(claim.uid())
                        .build())
                .toList();
    }

    private static ClaimResult result(String error, List<Device> devices) {
        return error.isEmpty()
                ? new ClaimResult.ClaimDone(devices.stream().map(Plugin::device).toList())
                : new ClaimResult.ClaimFailed(error);
    }

    private static ClaimResult.ClaimDevice device(Device device) {
        return new ClaimResult.ClaimDevice(
                device.getRequestNamesList(),
                device.getPoolName(),
                device.getDeviceName(),
                device.getCdiDeviceIdsList(),
                device.hasShareId() ? Optional.of(device.getShareId()) : Optional.empty());
    }

    private static KubeletEvent.DeviceStatus status(DeviceHealth health) {
        return new KubeletEvent.DeviceStatus(
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
            events.accept(new KubeletEvent.HealthReported(
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
