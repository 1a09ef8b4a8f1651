package io.imexagent.testing.kubelet;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.imexagent.testing.proto.v1.DRAPluginGrpc;
import io.imexagent.testing.proto.v1.Device;
import io.imexagent.testing.proto.v1.NodePrepareResourceResponse;
import io.imexagent.testing.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.testing.proto.v1.NodeUnprepareResourcesRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A plugin that is registered. Safe for any thread. */
public final class Plugin {

    /** The node service that the kubelet likes best. */
    public static final String V1 = "v1.DRAPlugin";

    /** The node service of older kubelets. Its messages are those of v1 without shares, field for field. */
    public static final String V1BETA1 = "v1beta1.DRAPlugin";

    private static final String SERVICES = "k8s.io.kubelet.pkg.apis.dra.";
    private static final String HEALTH = "v1alpha1.DRAResourceHealth";

    private final KubeletEvent.Registered registration;
    private final Duration timeout;
    private final ManagedChannel channel;
    private final Optional<HealthWatch> health;

    Plugin(KubeletEvent.Registered registration, KubeletOptions options, Sockets sockets, EventLog journal) {
        this.registration = registration;
        this.timeout = options.callTimeout();
        this.channel = sockets.services(registration.endpoint());
        this.health = registration.services().contains(HEALTH)
                ? Optional.of(new HealthWatch(registration.driver(), channel, options.healthRetry(), sockets, journal))
                : Optional.empty();
    }

    /** What it registered with. */
    public KubeletEvent.Registered registration() {
        return registration;
    }

    /**
     * Asks the plugin to prepare claims and waits for its answer.
     *
     * @return an answer for the UID of each claim
     * @throws PluginCallException if the call failed, or left a claim without an answer
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

    /**
     * Asks the plugin to unprepare claims and waits for its answer.
     *
     * @return an answer for the UID of each claim
     * @throws PluginCallException if the call failed, or left a claim without an answer
     */
    public Map<String, ClaimResult> unprepare(List<Claim> claims) {
        var request = NodeUnprepareResourcesRequest.newBuilder();
        claims.forEach(claim -> request.addClaims(wire(claim)));
        Map<String, ClaimResult> results = new HashMap<>();
        call(DRAPluginGrpc.getNodeUnprepareResourcesMethod(), request.build())
                .getClaimsMap()
                .forEach((uid, answer) -> results.put(uid, result(answer.getError(), List.of())));
        return complete("NodeUnprepareResources", claims, results);
    }

    void watchHealth() {
        health.ifPresent(HealthWatch::open);
    }

    Path socket() {
        return registration.socket();
    }

    void close() {
        health.ifPresent(HealthWatch::close);
        channel.shutdownNow();
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        String name = String.valueOf(method.getBareMethodName());
        String full = MethodDescriptor.generateFullMethodName(SERVICES + registration.service(), name);
        try {
            return ClientCalls.blockingUnaryCall(
                    channel,
                    method.toBuilder().setFullMethodName(full).build(),
                    CallOptions.DEFAULT.withDeadlineAfter(timeout),
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
}
