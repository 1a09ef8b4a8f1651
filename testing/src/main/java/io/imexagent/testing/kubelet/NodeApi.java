package io.imexagent.testing.kubelet;

import io.grpc.Channel;
import io.imexagent.testing.proto.v1.DRAPluginGrpc;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The node service in one of its versions. Answers by UID; a claim may be missing. */
sealed interface NodeApi {

    Map<String, ClaimResult> prepare(List<Claim> claims, Duration timeout);

    Map<String, ClaimResult> unprepare(List<Claim> claims, Duration timeout);

    /** Version v1. */
    record V1(DRAPluginGrpc.DRAPluginBlockingStub stub) implements NodeApi {

        V1(Channel channel) {
            this(DRAPluginGrpc.newBlockingStub(channel));
        }

        @Override
        public Map<String, ClaimResult> prepare(List<Claim> claims, Duration timeout) {
            var request = io.imexagent.testing.proto.v1.NodePrepareResourcesRequest.newBuilder();
            claims.forEach(claim -> request.addClaims(wire(claim)));
            var results = new HashMap<String, ClaimResult>();
            stub.withDeadlineAfter(timeout)
                    .nodePrepareResources(request.build())
                    .getClaimsMap()
                    .forEach((uid, answer) -> results.put(
                            uid,
                            answer.getError().isEmpty()
                                    ? new ClaimResult.Done(answer.getDevicesList().stream()
                                            .map(V1::device)
                                            .toList())
                                    : new ClaimResult.Failed(answer.getError())));
            return results;
        }

        @Override
        public Map<String, ClaimResult> unprepare(List<Claim> claims, Duration timeout) {
            var request = io.imexagent.testing.proto.v1.NodeUnprepareResourcesRequest.newBuilder();
            claims.forEach(claim -> request.addClaims(wire(claim)));
            var results = new HashMap<String, ClaimResult>();
            stub.withDeadlineAfter(timeout)
                    .nodeUnprepareResources(request.build())
                    .getClaimsMap()
                    .forEach((uid, answer) -> results.put(uid, unprepared(answer.getError())));
            return results;
        }

        private static io.imexagent.testing.proto.v1.Claim wire(Claim claim) {
            return io.imexagent.testing.proto.v1.Claim.newBuilder()
                    .setNamespace(claim.namespace())
                    .setName(claim.name())
                    .setUid(claim.uid())
                    .build();
        }

        private static ClaimResult.Device device(io.imexagent.testing.proto.v1.Device device) {
            return new ClaimResult.Device(
                    device.getRequestNamesList(),
                    device.getPoolName(),
                    device.getDeviceName(),
                    device.getCdiDeviceIdsList(),
                    device.hasShareId() ? Optional.of(device.getShareId()) : Optional.empty());
        }
    }

    /** Version v1beta1. */
    record V1Beta1(io.imexagent.testing.proto.v1beta1.DRAPluginGrpc.DRAPluginBlockingStub stub) implements NodeApi {

        V1Beta1(Channel channel) {
            this(io.imexagent.testing.proto.v1beta1.DRAPluginGrpc.newBlockingStub(channel));
        }

        @Override
        public Map<String, ClaimResult> prepare(List<Claim> claims, Duration timeout) {
            var request = io.imexagent.testing.proto.v1beta1.NodePrepareResourcesRequest.newBuilder();
            claims.forEach(claim -> request.addClaims(wire(claim)));
            var results = new HashMap<String, ClaimResult>();
            stub.withDeadlineAfter(timeout)
                    .nodePrepareResources(request.build())
                    .getClaimsMap()
                    .forEach((uid, answer) -> results.put(
                            uid,
                            answer.getError().isEmpty()
                                    ? new ClaimResult.Done(answer.getDevicesList().stream()
                                            .map(V1Beta1::device)
                                            .toList())
                                    : new ClaimResult.Failed(answer.getError())));
            return results;
        }

        @Override
        public Map<String, ClaimResult> unprepare(List<Claim> claims, Duration timeout) {
            var request = io.imexagent.testing.proto.v1beta1.NodeUnprepareResourcesRequest.newBuilder();
            claims.forEach(claim -> request.addClaims(wire(claim)));
            var results = new HashMap<String, ClaimResult>();
            stub.withDeadlineAfter(timeout)
                    .nodeUnprepareResources(request.build())
                    .getClaimsMap()
                    .forEach((uid, answer) -> results.put(uid, unprepared(answer.getError())));
            return results;
        }

        private static io.imexagent.testing.proto.v1beta1.Claim wire(Claim claim) {
            return io.imexagent.testing.proto.v1beta1.Claim.newBuilder()
                    .setNamespace(claim.namespace())
                    .setName(claim.name())
                    .setUid(claim.uid())
                    .build();
        }

        private static ClaimResult.Device device(io.imexagent.testing.proto.v1beta1.Device device) {
            return new ClaimResult.Device(
                    device.getRequestNamesList(),
                    device.getPoolName(),
                    device.getDeviceName(),
                    device.getCdiDeviceIdsList(),
                    Optional.empty());
        }
    }

    private static ClaimResult unprepared(String error) {
        return error.isEmpty() ? new ClaimResult.Done(List.of()) : new ClaimResult.Failed(error);
    }
}
