package io.imexagent.dra.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.claim.PrepareAnswer;
import io.imexagent.dra.claim.UnprepareAnswer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Prepares every claim at once unless told otherwise, and keeps what it was asked. */
final class FakeClaimPreparer implements ClaimPreparer {

    static final PreparedDevice.Handed CHANNEL = new PreparedDevice.Handed(
            List.of("channel"),
            "node-1",
            "channel-0",
            List.of("k8s.compute-domain.nvidia.com/claim=u-channel-0"),
            Optional.empty());

    final List<List<ClaimRequest>> prepares = new CopyOnWriteArrayList<>();
    final List<Duration> remaining = new CopyOnWriteArrayList<>();
    final List<List<ClaimRequest>> unprepares = new CopyOnWriteArrayList<>();

    /** Calls that wait, while {@link #hold} is set. */
    final LinkedBlockingQueue<Held> held = new LinkedBlockingQueue<>();

    private final Map<String, PrepareAnswer> answers = new HashMap<>();
    private final Map<String, UnprepareAnswer> unprepareAnswers = new HashMap<>();
    private volatile boolean hold;
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private volatile Optional<RuntimeException> defect = Optional.empty();
    private volatile Optional<String> forgotten = Optional.empty();

    /** Answers a claim so from now on. */
    void answer(String uid, PrepareAnswer answer) {
        answers.put(uid, answer);
    }

    /** Answers the unprepare of a claim so from now on. */
    void answer(String uid, UnprepareAnswer answer) {
        unprepareAnswers.put(uid, answer);
    }

    /** Lets prepares wait until they are released. */
    void hold() {
        hold = true;
    }

    /** Completes calls exceptionally. */
    void fail(RuntimeException why) {
        failure = Optional.of(why);
    }

    /** Throws at once. */
    void throwAtOnce(RuntimeException why) {
        defect = Optional.of(why);
    }

    /** Leaves a claim out of the answers. */
    void forget(String uid) {
        forgotten = Optional.of(uid);
    }

    @Override
    public CompletionStage<Map<String, PrepareAnswer>> prepare(List<ClaimRequest> claims, Duration left) {
        defect.ifPresent(thrown -> {
            throw thrown;
        });
        prepares.add(claims);
        remaining.add(left);
        var result = new HashMap<String, PrepareAnswer>();
        claims.forEach(claim -> result.put(
                claim.uid(), answers.getOrDefault(claim.uid(), new PrepareAnswer.Prepared(List.of(CHANNEL)))));
        forgotten.ifPresent(result::remove);
        return stage(result);
    }

    @Override
    public CompletionStage<Map<String, UnprepareAnswer>> unprepare(List<ClaimRequest> claims) {
        unprepares.add(claims);
        var result = new HashMap<String, UnprepareAnswer>();
        claims.forEach(claim ->
                result.put(claim.uid(), unprepareAnswers.getOrDefault(claim.uid(), new UnprepareAnswer.Done())));
        return stage(result);
    }

    private <A> CompletionStage<Map<String, A>> stage(Map<String, A> result) {
        if (failure.isPresent()) {
            return CompletableFuture.failedFuture(failure.get());
        }
        if (!hold) {
            return CompletableFuture.completedFuture(result);
        }
        var stage = new CompletableFuture<Map<String, A>>();
        held.add(() -> stage.complete(result));
        return stage;
    }

    /** A call that waits. */
    @FunctionalInterface
    interface Held {
        boolean release();
    }
}
