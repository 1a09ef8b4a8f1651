package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer;
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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node service. Its messages in v1beta1 are those of v1 on the wire, but for the share of a device; so v1 serves
 * both. Every claim of a request is answered, since the kubelet fails the whole pod over a missing one.
 */
final class NodePlugin extends DRAPluginGrpc.DRAPluginImplBase {

    private static final String V1BETA1 = "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin";

    /** A pod cannot refer to so many. */
    private static final int MOST_CLAIMS = 512;

    /** The kubelet's own deadline, for a caller that sets none. */
    private static final Duration NO_DEADLINE = Duration.ofSeconds(45);

    private static final Logger LOG = LoggerFactory.getLogger(NodePlugin.class);

    private final ClaimPreparer preparer;
    private final boolean shares;

    private NodePlugin(ClaimPreparer preparer, boolean shares) {
        this.preparer = preparer;
        this.shares = shares;
    }

    static BindableService v1(ClaimPreparer preparer) {
        return new NodePlugin(preparer, true);
    }

    static BindableService v1beta1(ClaimPreparer preparer) {
        return EarlierVersion.of(new NodePlugin(preparer, false), V1BETA1);
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> call) {
        List<ClaimRequest> claims = claims(request.getClaimsList());
        answer(claims, () -> preparer.prepare(claims, remaining()), call, this::prepared);
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> call) {
        List<ClaimRequest> claims = claims(request.getClaimsList());
        answer(claims, () -> preparer.unprepare(claims), call, NodePlugin::unprepared);
    }

    private static <A, M> void answer(
            List<ClaimRequest> claims,
            Supplier<Supplier<Map<String, Outcome<A>>>> work,
            StreamObserver<M> call,
            Function<Map<String, Outcome<A>>, M> message) {
        if (claims.size() > MOST_CLAIMS) {
            call.onError(Status.INVALID_ARGUMENT
                    .withDescription("a call may name " + MOST_CLAIMS + " claims, this one names " + claims.size())
                    .asRuntimeException());
            return;
        }
        if (call instanceof ServerCallStreamObserver<M> cancellable) {
            // Without a handler, an answer to a caller that has gone would throw.
            cancellable.setOnCancelHandler(() -> LOG.debug("the kubelet cancelled a call claims={}", claims.size()));
        }
        Supplier<Map<String, Outcome<A>>> answers = started(work);
        // From here on the call may block.
        Thread.ofVirtual().name("call").start(() -> send(call, message, answers(claims, answers)));
    }

    /** Begins on the event loop, so that calls take effect in the order in which the kubelet made them. */
    private static <A> Supplier<Map<String, Outcome<A>>> started(Supplier<Supplier<Map<String, Outcome<A>>>> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error defect) {
            return () -> {
                throw defect;
            };
        }
    }

    private static <A> Map<String, Outcome<A>> answers(
            List<ClaimRequest> claims, Supplier<Map<String, Outcome<A>>> work) {
        Map<String, Outcome<A>> given = Map.of();
        try {
            given = work.get();
        } catch (Throwable defect) {
            // An Error too: the kubelet gets an answer in any case.
            LOG.error("call of the kubelet failed by a defect claims={}", claims.size(), defect);
        }
        var answers = new LinkedHashMap<String, Outcome<A>>();
        for (ClaimRequest claim : claims) {
            Outcome<A> answer = given.get(claim.uid());
            answers.put(claim.uid(), answer == null ? missing(claim) : answer);
        }
        return answers;
    }

    private static <A> Outcome<A> missing(ClaimRequest claim) {
        LOG.error("a claim was left without an answer uid={}", Quoted.of(claim.uid()));
        return Outcome.refused(
                RefusalCode.INTERNAL,
                "the agent failed on this claim; it is tried again, and imex-agent's log on the node says more");
    }

    private static <A, M> void send(
            StreamObserver<M> call, Function<Map<String, Outcome<A>>, M> message, Map<String, Outcome<A>> answers) {
        if (call instanceof ServerCallStreamObserver<M> server && server.isCancelled()) {
            return;
        }
        try {
            call.onNext(message.apply(answers));
            call.onCompleted();
        } catch (RuntimeException broken) {
            LOG.error("a call of the kubelet could not be answered claims={}", answers.size(), broken);
            call.onError(Status.INTERNAL
                    .withDescription("the agent could not write its answer; see its log")
                    .asRuntimeException());
        }
    }

    private static Duration remaining() {
        Deadline deadline = Context.current().getDeadline();
        return deadline == null
                ? NO_DEADLINE
                : Duration.ofNanos(Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS)));
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

    private Device device(PreparedDevice.ReturnedDevice handed) {
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
        answers.forEach((uid, answer) -> message.putClaims(
                uid,
                NodeUnprepareResourceResponse.newBuilder()
                        .setError(error(answer))
                        .build()));
        return message.build();
    }

    /** What the events of the pod or the kubelet's log show; empty for success. */
    private static String error(Outcome<?> answer) {
        return answer.refusal().map(Refusal::answer).orElse("");
    }
}
