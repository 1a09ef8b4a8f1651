package io.imexagent.dra.kubelet;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
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
            List<ClaimRequest> claims, StreamObserver<M> call, Function<Map<String, Outcome<Prepared>>, M> message) {
        Duration remaining = remaining();
        answer(claims, () -> preparer.prepare(claims, remaining), call, message);
    }

    /** Unprepares claims and answers the call with the message made of the answers, one for each UID. */
    <M> void unprepare(
            List<ClaimRequest> claims, StreamObserver<M> call, Function<Map<String, Outcome<Unprepared>>, M> message) {
        answer(claims, () -> preparer.unprepare(claims), call, message);
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
        Supplier<Map<String, Outcome<A>>> answers = begun(work);
        // From here on the call may block.
        Thread.ofVirtual().name("call").start(() -> send(call, message, answers(claims, answers)));
    }

    /** Begins on the event loop, so that calls take effect in the order in which the kubelet made them. */
    private static <A> Supplier<Map<String, Outcome<A>>> begun(Supplier<Supplier<Map<String, Outcome<A>>>> work) {
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
            LOG.error("a call of the kubelet failed claims={}", claims.size(), defect);
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
}
