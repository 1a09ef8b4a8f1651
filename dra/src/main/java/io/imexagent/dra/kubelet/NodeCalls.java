package io.imexagent.dra.kubelet;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.claim.PrepareAnswer;
import io.imexagent.dra.claim.UnprepareAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node service apart from the version of its messages: every claim of a request is answered, whatever happens, since
 * the kubelet fails the whole pod over a missing one.
 */
final class NodeCalls {

    /** A pod cannot refer to so many. */
    private static final int MOST_CLAIMS = 512;

    /** The kubelet's own deadline, for a caller that sets none. */
    private static final Duration NO_DEADLINE = Duration.ofSeconds(45);

    private static final Logger LOG = LoggerFactory.getLogger(NodeCalls.class);

    private final ClaimPreparer preparer;

    NodeCalls(ClaimPreparer preparer) {
        this.preparer = preparer;
    }

    /** Prepares claims and answers the call with the message made of the answers, one for each UID. */
    <M> void prepare(
            List<ClaimRequest> claims, StreamObserver<M> call, Function<Map<String, PrepareAnswer>, M> message) {
        Duration remaining = remaining();
        var answers = new LinkedHashMap<String, PrepareAnswer>();
        List<ClaimRequest> distinct = distinct(claims, answers);
        answer(
                distinct,
                () -> preparer.prepare(distinct, remaining),
                new Reply<>(call, answers, PrepareAnswer.Refused::new, message));
    }

    /** Unprepares claims and answers the call with the message made of the answers, one for each UID. */
    <M> void unprepare(
            List<ClaimRequest> claims, StreamObserver<M> call, Function<Map<String, UnprepareAnswer>, M> message) {
        // What is unprepared is found by its UID alone; the names do not matter.
        var byUid = new LinkedHashMap<String, ClaimRequest>();
        claims.forEach(claim -> byUid.putIfAbsent(claim.uid(), claim));
        List<ClaimRequest> distinct = List.copyOf(byUid.values());
        answer(
                distinct,
                () -> preparer.unprepare(distinct),
                new Reply<>(call, new LinkedHashMap<>(), UnprepareAnswer.Failed::new, message));
    }

    private <A, M> void answer(
            List<ClaimRequest> asked, Supplier<CompletionStage<Map<String, A>>> work, Reply<A, M> reply) {
        if (asked.size() > MOST_CLAIMS) {
            reply.call()
                    .onError(Status.INVALID_ARGUMENT
                            .withDescription(
                                    "a call may name " + MOST_CLAIMS + " claims, this one names " + asked.size())
                            .asRuntimeException());
            return;
        }
        if (reply.call() instanceof ServerCallStreamObserver<M> cancellable) {
            // Without a handler, an answer to a caller that has gone would throw.
            cancellable.setOnCancelHandler(() -> LOG.debug("the kubelet gave a call up claims={}", asked.size()));
        }
        CompletionStage<Map<String, A>> stage;
        try {
            stage = work.get();
        } catch (RuntimeException defect) {
            reply.send(asked, Map.of(), defect);
            return;
        }
        // The stage that whenComplete returns tells nothing more: send ends the call in every case.
        var _ = stage.whenComplete((answers, failure) -> reply.send(asked, answers, failure));
    }

    /** The claims with a UID of their own; two claims with one UID are answered with a refusal. */
    private static List<ClaimRequest> distinct(List<ClaimRequest> claims, Map<String, PrepareAnswer> answers) {
        var byUid = new LinkedHashMap<String, ClaimRequest>();
        for (ClaimRequest claim : claims) {
            ClaimRequest other = byUid.putIfAbsent(claim.uid(), claim);
            if (other != null && !other.equals(claim)) {
                answers.put(
                        claim.uid(),
                        new PrepareAnswer.Refused(new Refusal(
                                RefusalCode.BAD_REQUEST,
                                "the request names two claims with one UID, which the kubelet never does; restart the"
                                        + " kubelet, and report it if it happens again")));
            }
        }
        byUid.keySet().removeAll(answers.keySet());
        return new ArrayList<>(byUid.values());
    }

    private static Duration remaining() {
        Deadline deadline = Context.current().getDeadline();
        return deadline == null
                ? NO_DEADLINE
                : Duration.ofNanos(Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS)));
    }

    /**
     * Answers one call.
     *
     * @param call the call
     * @param answers the answers that are known already
     * @param refused makes an answer of a refusal
     * @param message makes the message
     */
    private record Reply<A, M>(
            StreamObserver<M> call,
            Map<String, A> answers,
            Function<Refusal, A> refused,
            Function<Map<String, A>, M> message) {

        void send(List<ClaimRequest> asked, @Nullable Map<String, A> given, @Nullable Throwable failure) {
            if (failure != null) {
                LOG.error("a call of the kubelet failed claims={}", asked.size(), failure);
            }
            if (call instanceof ServerCallStreamObserver<M> server && server.isCancelled()) {
                return;
            }
            try {
                for (ClaimRequest claim : asked) {
                    A answer = given == null ? null : given.get(claim.uid());
                    answers.put(claim.uid(), answer == null ? refused.apply(defect(claim, failure)) : answer);
                }
                call.onNext(message.apply(answers));
                call.onCompleted();
            } catch (RuntimeException broken) {
                LOG.error("a call of the kubelet could not be answered claims={}", asked.size(), broken);
                call.onError(Status.INTERNAL
                        .withDescription("the agent could not write its answer; see its log")
                        .asRuntimeException());
            }
        }

        private static Refusal defect(ClaimRequest claim, @Nullable Throwable failure) {
            if (failure == null) {
                LOG.error("a claim was left without an answer uid={}", claim.uid());
            }
            return new Refusal(
                    RefusalCode.INTERNAL,
                    "the agent failed on this claim; it is tried again, and imex-agent's log on the node says more");
        }
    }
}
