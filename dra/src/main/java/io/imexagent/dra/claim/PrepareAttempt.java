package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.worker.LaneFullException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The prepare of one claim: ask Kubernetes, plan, take it to the lane; where the refusal may come good within the call,
 * wait and begin again. Its steps run one after the other, on a virtual thread or the lane; between them, while it
 * waits, it holds neither. {@link #answer} ends it, whoever completes that: the prepare itself, its call's deadline, an
 * unprepare of the claim, the end of the agent.
 */
final class PrepareAttempt {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(PrepareAttempt.class);

    private final PrepareAttempts all;
    private final ClaimRef ref;
    private final long began;
    private final long answerBy;
    private final CompletableFuture<PrepareAnswer> answer = new CompletableFuture<>();
    private final AtomicReference<@Nullable Look> look = new AtomicReference<>();
    private final AtomicReference<@Nullable Wait> wait = new AtomicReference<>();
    private volatile boolean onLane;
    private volatile Optional<Refusal> last = Optional.empty();

    // Of the steps alone, which hand them on through executor, lane and timer.
    private Optional<ClaimFacts> facts = Optional.empty();
    private Duration pause = FIRST_PAUSE;
    private long seen;

    PrepareAttempt(PrepareAttempts all, ClaimRef ref, long answerBy) {
        this.all = all;
        this.ref = ref;
        this.began = all.now();
        this.answerBy = answerBy;
    }

    ClaimRef ref() {
        return ref;
    }

    CompletableFuture<PrepareAnswer> answer() {
        return answer;
    }

    /** Begins. A claim that is prepared already needs neither the API server nor a thread. */
    void start() {
        step(() -> {
            if (all.work().seemsAnswered(ref)) {
                toLane(() -> all.work().answer(ref));
            } else {
                onThread(this::ask);
            }
        });
    }

    /** Breaks off a look at the API server that takes too long; it is repeated. */
    void check() {
        Look present = look.get();
        if (present != null) {
            present.breakOffAfter(all.settings().apiPatience(), all.now());
        }
    }

    /** Answers now, with the reason for which the claim is not prepared yet. */
    void expire() {
        refuse(reason());
    }

    /** The reason for which the claim is not prepared yet. */
    Refusal reason() {
        Duration waited = Duration.ofNanos(all.now() - began);
        return onLane ? Refusals.filesSlow(waited) : last.orElseGet(() -> Refusals.apiSilent(ref, waited));
    }

    /** Ends it for an unprepare of the claim. What is on the lane already, the unprepare finds there. */
    void cancel() {
        refuse(Refusals.cancelled(ref));
    }

    /** Ends it for the end of the agent, unless it is on the lane. */
    void stop() {
        if (!onLane) {
            refuse(Refusals.stopping());
        }
    }

    /** Ends a pause, unless it is for the API server. */
    void wake() {
        Wait present = wait.get();
        if (present != null && present.forChange) {
            endOf(present);
        }
    }

    void refuse(Refusal refusal) {
        finish(new PrepareAnswer.Refused(refusal));
    }

    private void ask() {
        seen = all.changes();
        var begun = new Look(all.now());
        look.set(begun);
        Gathered gathered;
        boolean brokenOff;
        try {
            if (answer.isDone()) {
                return;
            }
            gathered = all.gatherer().gather(ref);
        } finally {
            look.set(null);
            brokenOff = begun.end();
        }
        if (brokenOff) {
            refused(Refusals.apiSilent(ref, all.settings().apiPatience()), Duration.ZERO);
            return;
        }
        facts = Optional.of(gathered.facts());
        switch (all.work().foresee(gathered.facts())) {
            case PrepareOutcome.Refused refused -> refused(refused.refusal(), gathered.restFor());
            case PrepareOutcome.Ready ready ->
                toLane(() -> Optional.of(all.work().prepare(gathered.facts())));
        }
    }

    /** While the ledger or the node is the reason, there is no need to ask Kubernetes again and again. */
    private void again() {
        seen = all.changes();
        if (facts.isPresent()
                && last.isPresent()
                && !last.get().code().toldByCluster()
                && all.work().foresee(facts.get()) instanceof PrepareOutcome.Refused refused) {
            refused(refused.refusal(), Duration.ZERO);
        } else {
            ask();
        }
    }

    private void toLane(Callable<Optional<PrepareAnswer>> work) {
        onLane = true;
        if (all.stopping()) {
            refuse(Refusals.stopping());
            return;
        }
        var _ = all.lane()
                .submit(() -> answer.isDone() ? Optional.<PrepareAnswer>empty() : work.call())
                .whenComplete((given, failure) -> step(() -> {
                    onLane = false;
                    if (failure == null) {
                        worked(given);
                    } else {
                        failed(failure);
                    }
                }));
    }

    private void worked(Optional<PrepareAnswer> given) {
        if (given.isEmpty()) {
            onThread(this::ask);
            return;
        }
        switch (given.get()) {
            case PrepareAnswer.Prepared prepared -> finish(prepared);
            case PrepareAnswer.Refused refused -> refused(refused.refusal(), Duration.ZERO);
        }
    }

    private void failed(Throwable failure) {
        if (failure instanceof LaneFullException full) {
            refuse(all.stopping() ? Refusals.stopping() : Refusals.overloaded(full));
        } else {
            LOG.error("prepare failed claim={} uid={}", ref.name(), ref.uid(), failure);
            refuse(Refusals.defect());
        }
    }

    private void refused(Refusal refusal, Duration rest) {
        last = Optional.of(refusal);
        switch (refusal.code().retry()) {
            case NEVER, NEXT_CALL -> refuse(refusal);
            case WITHIN_CALL -> {
                if (all.stopping()) {
                    refuse(Refusals.stopping());
                } else if (all.now() - answerBy >= 0) {
                    refuse(refusal);
                } else {
                    rest(rest, !refusal.code().toldByCluster());
                }
            }
        }
    }

    private void rest(Duration atLeast, boolean forChange) {
        Duration time = atLeast.compareTo(pause) > 0 ? atLeast : pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        var begun = new Wait(forChange);
        wait.set(begun);
        begun.pending = all.timer().after(time, () -> endOf(begun));
        if (answer.isDone()) {
            begun.cancel();
        } else if (forChange && all.changes() != seen) {
            endOf(begun);
        }
    }

    private void endOf(Wait ended) {
        if (wait.compareAndSet(ended, null)) {
            ended.cancel();
            step(() -> onThread(this::again));
        }
    }

    private void onThread(Runnable work) {
        if (!answer.isDone()) {
            all.threads().execute(() -> step(work));
        }
    }

    private void step(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException defect) {
            LOG.error("prepare failed claim={} uid={}", ref.name(), ref.uid(), defect);
            refuse(Refusals.defect());
        }
    }

    private void finish(PrepareAnswer given) {
        // First out of the way: whoever comes after the answer begins anew.
        all.ended(this);
        if (answer.complete(given)) {
            log(given);
        }
        Look looking = look.get();
        if (looking != null) {
            looking.breakOff();
        }
        Wait waiting = wait.getAndSet(null);
        if (waiting != null) {
            waiting.cancel();
        }
    }

    private void log(PrepareAnswer given) {
        switch (given) {
            case PrepareAnswer.Prepared prepared ->
                LOG.info(
                        "claim prepared claim={} uid={} devices={}",
                        ref.name(),
                        ref.uid(),
                        prepared.devices().size());
            case PrepareAnswer.Refused refused ->
                LOG.warn(
                        "claim refused claim={} uid={} code={} reason=\"{}\"",
                        ref.name(),
                        ref.uid(),
                        refused.refusal().code().label(),
                        refused.refusal().message());
        }
    }

    /** A pause. */
    private static final class Wait {

        private final boolean forChange;
        private volatile Timer.Pending pending = () -> {};

        Wait(boolean forChange) {
            this.forChange = forChange;
        }

        void cancel() {
            pending.cancel();
        }
    }
}
