package io.imexagent.dra.kubelet;

import io.grpc.stub.StreamObserver;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.proto.v1beta1.Claim;
import io.imexagent.dra.proto.v1beta1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1beta1.Device;
import io.imexagent.dra.proto.v1beta1.NodePrepareResourceResponse;
import io.imexagent.dra.proto.v1beta1.NodePrepareResourcesRequest;
import io.imexagent.dra.proto.v1beta1.NodePrepareResourcesResponse;
import io.imexagent.dra.proto.v1beta1.NodeUnprepareResourceResponse;
import io.imexagent.dra.proto.v1beta1.NodeUnprepareResourcesRequest;
import io.imexagent.dra.proto.v1beta1.NodeUnprepareResourcesResponse;
import java.util.List;
import java.util.Map;

/** The node service in the messages of v1beta1, which know no shares. */
final class PluginV1Beta1 extends DRAPluginGrpc.DRAPluginImplBase {

    private final NodeCalls calls;

    PluginV1Beta1(NodeCalls calls) {
        this.calls = calls;
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> call) {
        calls.prepare(claims(request.getClaimsList()), call, PluginV1Beta1::prepared);
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> call) {
        calls.unprepare(claims(request.getClaimsList()), call, PluginV1Beta1::unprepared);
    }

    private static List<ClaimRequest> claims(List<Claim> claims) {
        return claims.stream()
                .map(claim -> new ClaimRequest(claim.getNamespace(), claim.getName(), claim.getUid()))
                .toList();
    }

    private static NodePrepareResourcesResponse prepared(Map<String, Outcome<Prepared>> answers) {
        var message = NodePrepareResourcesResponse.newBuilder();
        answers.forEach((uid, answer) -> message.putClaims(uid, prepared(answer)));
        return message.build();
    }

    private static NodePrepareResourceResponse prepared(Outcome<Prepared> answer) {
        var message = NodePrepareResourceResponse.newBuilder().setError(Answers.error(answer));
        answer.toOptional()
                .ifPresent(prepared -> prepared.devices().forEach(device -> message.addDevices(device(device))));
        return message.build();
    }

    private static Device device(PreparedDevice.Handed handed) {
        return Device.newBuilder()
                .addAllRequestNames(Answers.requests(handed))
                .setPoolName(handed.pool())
                .setDeviceName(handed.device())
                .addAllCdiDeviceIds(handed.cdiDeviceIds())
                .build();
    }

    private static NodeUnprepareResourcesResponse unprepared(Map<String, Outcome<Unprepared>> answers) {
        var message = NodeUnprepareResourcesResponse.newBuilder();
        answers.forEach((uid, answer) -> message.putClaims(uid, unprepared(answer)));
        return message.build();
    }

    private static NodeUnprepareResourceResponse unprepared(Outcome<Unprepared> answer) {
        return NodeUnprepareResourceResponse.newBuilder()
                .setError(Answers.error(answer))
                .build();
    }
}
