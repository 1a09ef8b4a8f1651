package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.proto.v1.Claim;
import io.imexagent.dra.proto.v1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1.Device;
import io.imexagent.dra.proto.v1.NodePrepareResourceResponse;
import io.imexagent.dra.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.dra.proto.v1.NodePrepareResourcesResponse;
import io.imexagent.dra.proto.v1.NodeUnprepareResourceResponse;
import io.imexagent.dra.proto.v1.NodeUnprepareResourcesRequest;
import io.imexagent.dra.proto.v1.NodeUnprepareResourcesResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The node service. Its messages in v1beta1 are those of v1 on the wire, but for the share of a device, which v1beta1 does
 * not know; so v1 serves both.
 */
final class NodePlugin extends DRAPluginGrpc.DRAPluginImplBase {

    private static final String V1BETA1 = "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin";

    private final NodeCalls calls;
    private final boolean shares;

    private NodePlugin(NodeCalls calls, boolean shares) {
        this.calls = calls;
        this.shares = shares;
    }

    /** The service in v1. */
    static BindableService v1(NodeCalls calls) {
        return new NodePlugin(calls, true);
    }

    /** The service in v1beta1. */
    static BindableService v1beta1(NodeCalls calls) {
        var service = ServerServiceDefinition.builder(V1BETA1);
        new NodePlugin(calls, false).bindService().getMethods().forEach(method -> service.addMethod(renamed(method)));
        return service::build;
    }

    private static <Q, A> ServerMethodDefinition<Q, A> renamed(ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> v1 = method.getMethodDescriptor();
        String name = MethodDescriptor.generateFullMethodName(V1BETA1, Objects.requireNonNull(v1.getBareMethodName()));
        return ServerMethodDefinition.create(
                v1.toBuilder().setFullMethodName(name).setSchemaDescriptor(null).build(),
                method.getServerCallHandler());
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> call) {
        calls.prepare(claims(request.getClaimsList()), call, this::prepared);
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> call) {
        calls.unprepare(claims(request.getClaimsList()), call, NodePlugin::unprepared);
    }

    private static List<ClaimRequest> claims(List<Claim> claims) {
        return claims.stream()
                .map(claim -> new ClaimRequest(claim.getNamespace(), claim.getName(), claim.getUid()))
                .toList();
    }

    private NodePrepareResourcesResponse prepared(Map<String, Outcome<Prepared>> answers) {
        var message = NodePrepareResourcesResponse.newBuilder();
        answers.forEach((uid, answer) -> message.putClaims(uid, prepared(answer)));
        return message.build();
    }

    private NodePrepareResourceResponse prepared(Outcome<Prepared> answer) {
        var message = NodePrepareResourceResponse.newBuilder().setError(error(answer));
        answer.toOptional()
                .ifPresent(prepared -> prepared.devices().forEach(device -> message.addDevices(device(device))));
        return message.build();
    }

    private Device device(PreparedDevice.Handed handed) {
        var message = Device.newBuilder()
                .addAllRequestNames(handed.requests().stream()
                        .map(AllocatedDevice::mainRequest)
                        .distinct()
                        .toList())
                .setPoolName(handed.pool())
                .setDeviceName(handed.device())
                .addAllCdiDeviceIds(handed.cdiDeviceIds());
        handed.shareId().filter(share -> shares).ifPresent(message::setShareId);
        return message.build();
    }

    private static NodeUnprepareResourcesResponse unprepared(Map<String, Outcome<Unprepared>> answers) {
        var message = NodeUnprepareResourcesResponse.newBuilder();
        answers.forEach((uid, answer) -> message.putClaims(uid, unprepared(answer)));
        return message.build();
    }

    private static NodeUnprepareResourceResponse unprepared(Outcome<Unprepared> answer) {
        return NodeUnprepareResourceResponse.newBuilder()
                .setError(error(answer))
                .build();
    }

    /** What the events of the pod or the kubelet's log show; empty for success. */
    private static String error(Outcome<?> answer) {
        return answer.refusal().map(Refusal::answer).orElse("");
    }
}
