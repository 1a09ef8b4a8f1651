package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.PreparedClaims.LockedAction;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.worker.Worker.QueueFullException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The prepare of one claim, on a virtual thread of its own: read the claim from the API server, plan, and execute on
 * the worker. After a refusal that can pass within the call, it waits and starts again. The first one to end the
 * attempt determines the answer.
 */
final class PrepareAttempt<D> {

    private static final Logger LOG = LoggerFactory.getLogger(PrepareAttempt.class);

    private final ClaimRef ref;
    private final ClaimOperations<D> work;
    private final BiConsumer<ClaimUid, PrepareAttempt<D>> forget;
    private final long began;
    private final Thread thread;
    private final CompletableFuture<Outcome<Prepared>> answer = new CompletableFuture<>();
    private volatile Optional<Refusal> last = Optional.empty();
    private volatile Optional<ClaimEntry.Started> started = Optional.empty();
    private volatile boolean onWorker;

    // Used by the attempt's thread alone.
    private Duration pause;
    private Duration restFor = Duration.ZERO;

    /** An attempt. {@code forget} runs before the answer is given, so that a later call starts a new attempt. */
    PrepareAttempt(ClaimRef ref, ClaimOperations<D> work, BiConsumer<ClaimUid, PrepareAttempt<D>> forget) {
        this.ref = ref;
        this.work = work;
        this.forget = forget;
        this.began = work.host().nanoTime().getAsLong();
        this.pause = work.settings().firstPause();
        this.thread = Thread.ofVirtual().name(work.commits().worker().name()).unstarted(this::run);
    }

    ClaimRef ref() {
        return ref;
    }

    /** The answer of the attempt; never completes exceptionally. */
    CompletableFuture<Outcome<Prepared>> answer() {
        return answer;
    }

    void start() {
        thread.start();
    }

    /** Ends the attempt with this answer, unless it has one. A plan that the worker has not started is dropped. */
    boolean end(Outcome<Prepared> given) {
        forget.accept(ref.uid(), this);
        boolean ends = answer.complete(given);
        if (ends) {
            log(given);
            // Harmless if the attempt ends itself: its thread does nothing afterwards.
            thread.interrupt();
        }
        return ends;
    }

    boolean onWorker() {
        return onWorker;
    }

    /**
     * Ends the attempt for an unprepare. Returns the entry whose plan is being executed, with the whole status, which
     * the public driver compares for an aborted claim; the entry is durable already while the attempt waits for a late
     * objection. Empty if no plan is being executed, or the attempt has its answer.
     */
    Optional<ClaimEntry.Started> cancel() {
        Optional<ClaimEntry.Started> cut = started;
        return end(Outcome.refused(Refusals.cancelled(ref))) ? cut : Optional.empty();
    }

    Refusal reason() {
        Duration waited = Duration.ofNanos(work.host().nanoTime().getAsLong() - began);
        return onWorker
                ? Refusals.filesSlow(waited)
                : work.rules().waiting(thread).or(() -> last).orElseGet(() -> Refusals.apiSilent(ref, waited));
    }

    private void run() {
        try {
            end(prepare());
        } catch (InterruptedException ended) {
            end(Outcome.refused(Refusals.stopping()));
        } catch (Throwable defect) {
            LOG.error("prepare failed claim={} uid={}", ref.name(), ref.uid(), defect);
            end(Outcome.refused(Refusals.defect()));
        } finally {
            work.rules().ended();
        }
    }

    private Outcome<Prepared> prepare() throws InterruptedException {
        if (work.seemsPrepared(ref)) {
            // A prepared claim needs neither the API server nor the node.
            Outcome<Optional<Prepared>> known = onWorker(session -> work.answer(session, ref));
            if (!known.equals(Outcome.accepted(Optional.empty()))) {
                return known.map(Optional::orElseThrow);
            }
        }
        while (true) {
            long seen = work.changes().raised();
            Outcome<ClaimDemand<D>> demand = ask();
            Outcome<Prepared> outcome = demand.then(claim -> work.dryRun(claim).then(plan -> carryOut(claim)));
            // The read may have swallowed the interrupt that ended the attempt.
            if (!waits(outcome.refusal()) || answer.isDone()) {
                return outcome;
            }
            if (work.stopping().getAsBoolean()) {
                return Outcome.refused(Refusals.stopping());
            }
            rest(demand.toOptional(), seen);
        }
    }

    private Outcome<Prepared> carryOut(ClaimDemand<D> claim) throws InterruptedException {
        started = Optional.of(new ClaimEntry.Started(ref.uid(), Optional.of(ref.name()), claim.status()));
        try {
            var isNew = new AtomicBoolean();
            return onWorker(session -> {
                        isNew.set(ClaimPlanner.prepared(ref, session.ledger()).isEmpty());
                        return work.prepare(session, claim);
                    })
                    .refuseIf(prepared -> isNew.get()
                                    && prepared.devices().stream()
                                            .anyMatch(PreparedDevice.ReturnedDevice::reachesContainers)
                            ? takenBack(claim)
                            : Optional.empty());
        } finally {
            started = Optional.empty();
        }
    }

    /** Revokes the grant. The kubelet has no answer yet, so no container uses it. */
    private Optional<Refusal> takenBack(ClaimDemand<D> claim) throws InterruptedException {
        Optional<Refusal> objection = work.rules().lateObjection(claim.demand());
        return objection.isPresent()
                ? onWorker(session -> work.unprepare(session, ref.uid(), Optional.empty()))
                        .refusal()
                        .or(() -> objection)
                : objection;
    }

    /**
     * Reads the claim from the API server. All waits of the client are bounded, and the end of the attempt interrupts
     * them.
     */
    private Outcome<ClaimDemand<D>> ask() throws InterruptedException {
        restFor = Duration.ZERO;
        try {
            return work.ask(ref);
        } catch (ApiException failed) {
            restFor = failed.failure().retryAfter().orElse(Duration.ZERO);
            return Outcome.refused(RefusalCode.API_UNAVAILABLE, failed.failure().message());
        }
    }

    private <A> Outcome<A> onWorker(LockedAction<Outcome<A>> task) throws InterruptedException {
        onWorker = true;
        try {
            if (work.stopping().getAsBoolean()) {
                return Outcome.refused(Refusals.stopping());
            }
            CompletableFuture<Outcome<A>> outcome = work.commits()
                    .submit(
                            ref.uid(),
                            session -> answer.isDone() ? Outcome.refused(Refusals.cancelled(ref)) : task.in(session));
            try {
                return outcome.get();
            } catch (InterruptedException ended) {
                // The worker may still use resources that were acquired for the claim, so they are released after it.
                var _ = outcome.exceptionally(failure -> Outcome.refused(Refusals.stopping()))
                        .join();
                throw ended;
            }
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof QueueFullException full) {
                return Outcome.refused(work.turnedAway(full));
            }
            throw new IllegalStateException("the plan could not be carried out", failure.getCause());
        } finally {
            onWorker = false;
        }
    }

    /** Whether the refusal can pass within the call; it becomes the reported reason. */
    private boolean waits(Optional<Refusal> refusal) {
        boolean waits = refusal.isPresent() && refusal.get().code().retry() == RefusalCode.Retry.WITHIN_CALL;
        last = waits ? refusal : last;
        return waits;
    }

    /**
     * Waits until another try makes sense: a pause if only the API server shows the change, otherwise a change of
     * ledger or node.
     */
    private void rest(Optional<ClaimDemand<D>> claim, long before) throws InterruptedException {
        if (isFromCluster()) {
            Thread.sleep(nextPause(restFor));
            return;
        }
        long seen = before;
        do {
            work.changes().await(seen, nextPause(Duration.ZERO));
            seen = work.changes().raised();
        } while (claim.isPresent() && waits(work.dryRun(claim.get()).refusal()) && !isFromCluster());
    }

    private boolean isFromCluster() {
        return last.filter(refusal -> refusal.code().isFromCluster()).isPresent();
    }

    private Duration nextPause(Duration atLeast) {
        Duration now = atLeast.compareTo(pause) > 0 ? atLeast : pause;
        pause = work.settings().pauseAfter(pause);
        return now;
    }

    private void log(Outcome<Prepared> given) {
        switch (given) {
            case Outcome.Accepted<Prepared>(Prepared prepared) ->
                LOG.info(
                        "claim prepared claim={} uid={} devices={}",
                        ref.name(),
                        ref.uid(),
                        prepared.devices().size());
            case Outcome.Refused<Prepared>(Refusal reason) ->
                LOG.warn(
                        "claim refused claim={} uid={} code={} reason=\"{}\"",
                        ref.name(),
                        ref.uid(),
                        reason.code().label(),
                        reason.message());
        }
    }
}
