package io.imexagent.dra.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** Prepares every claim at once unless told otherwise, and keeps what it was asked. */
final class FakeClaimPreparer implements ClaimPreparer {

    static final PreparedDevice.ReturnedDevice CHANNEL = new PreparedDevice.ReturnedDevice(
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

    private final Map<String, Outcome<Prepared>> answers = new HashMap<>();
    private final Map<String, Outcome<Unprepared>> unprepareAnswers = new HashMap<>();
    private volatile boolean hold;
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private volatile Optional<String> forgotten = Optional.empty();

    /** Answers the prepare of a claim so from now on. */
    void answerPrepare(String uid, Outcome<Prepared> answer) {
        answers.put(uid, answer);
    }

    /** Answers the unprepare of a claim so from now on. */
    void answerUnprepare(String uid, Outcome<Unprepared> answer) {
        unprepareAnswers.put(uid, answer);
    }

    /** Lets prepares wait until they are released. */
    void hold() {
        hold = true;
    }

    /** Lets calls throw what nobody expects. */
    void fail(RuntimeException why) {
        failure = Optional.of(why);
    }

    /** Leaves a claim out of the answers. */
    void forget(String uid) {
        forgotten = Optional.of(uid);
    }

    @Override
    public Supplier<Map<String, Outcome<Prepared>>> prepare(List<ClaimRequest> claims, Duration left) {
        failure.ifPresent(thrown -> {
            throw thrown;
        });
        prepares.add(claims);
        remaining.add(left);
        var result = new HashMap<String, Outcome<Prepared>>();
        claims.forEach(claim -> result.put(
                claim.uid(), answers.getOrDefault(claim.uid(), Outcome.accepted(new Prepared(List.of(CHANNEL))))));
        forgotten.ifPresent(result::remove);
        return () -> {
            awaitRelease();
            return result;
        };
    }

    @Override
    public Supplier<Map<String, Outcome<Unprepared>>> unprepare(List<ClaimRequest> claims) {
        unprepares.add(claims);
        var result = new HashMap<String, Outcome<Unprepared>>();
        claims.forEach(claim -> result.put(
                claim.uid(), unprepareAnswers.getOrDefault(claim.uid(), Outcome.accepted(new Unprepared()))));
        return () -> {
            awaitRelease();
            return result;
        };
    }

    private void awaitRelease() {
        if (hold) {
            var released = new CountDownLatch(1);
            held.add(released::countDown);
            try {
                released.await();
            } catch (InterruptedException cut) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A call that waits. */
    @FunctionalInterface
    interface Held {
        void release();
    }
}
