package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimService.PrepareObserver.Operation;
import io.imexagent.kubernetes.Claims;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.QueueFullException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the kubelet. Each claim has a {@link PrepareAttempt} of its own; the worker executes plans one after the
 * other.
 */
public final class ClaimService<D> implements ClaimPreparer {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimService.class);

    private final PrepareObserver observer;
    private final ClaimOperations<D> work;
    private final ConcurrentHashMap<ClaimUid, PrepareAttempt<D>> inFlight = new ConcurrentHashMap<>();
    private volatile Consumer<ClaimUid> onPrepare = claim -> {};
    private volatile Runnable onFailedFiles = () -> {};
    private volatile boolean stopping;

    /** A service over claims that a recovery must open before the first call. */
    public ClaimService(
            PreparedClaims claims,
            Claims api,
            ClaimRules<D> rules,
            Worker worker,
            ClaimHost host,
            PrepareSettings settings,
            PrepareObserver observer) {
        this.observer = observer;
        var commit = new GroupCommit(claims, worker);
        this.work = new ClaimOperations<>(claims, api, rules, commit, new Signal(), settings, () -> stopping, host);
    }

    /** Starts to listen for changes of the ledger and the node. Called once, before the first prepare. */
    public void start() {
        work.claims().onChange(ledger -> {
            observer.ledger(ledger);
            work.changes().raise();
        });
        work.rules().onChange(work.changes()::raise);
        observer.ledger(work.claims().ledger());
    }

    /** Calls the listener with each claim that the kubelet prepares, before that begins; it must not block. */
    public void onPrepare(Consumer<ClaimUid> listener) {
        onPrepare = listener;
    }

    /** Runs the listener when the files of a claim could not be written; it must not block. */
    public void onFailedFiles(Runnable listener) {
        onFailedFiles = listener;
    }

    public boolean isPreparing(ClaimUid claim) {
        return inFlight.containsKey(claim);
    }

    @Override
    public Supplier<Map<String, Outcome<Prepared>>> prepare(List<ClaimRequest> requests, Duration remaining) {
        return call(Operation.PREPARE, requests, work.settings().within(remaining), this::prepare);
    }

    @Override
    public Supplier<Map<String, Outcome<Unprepared>>> unprepare(List<ClaimRequest> requests) {
        return call(
                Operation.UNPREPARE,
                requests,
                work.settings().answerWithin(),
                (request, distinct) -> unprepare(request));
    }

    /**
     * Accepts no more requests, answers the waiting claims, and waits at most this long for the worker's current task.
     */
    public void stop(Duration atMost) throws InterruptedException {
        stopping = true;
        for (PrepareAttempt<D> attempt : inFlight.values()) {
            if (!attempt.onWorker()) {
                attempt.end(Outcome.refused(Refusals.stopping()));
            }
        }
        try {
            // The worker runs tasks in order: after this one no earlier task is left.
            work.commits().worker().submit(() -> true).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException closed) {
            LOG.warn("stopped without waiting for claims reason=\"{}\"", Worker.reason(closed));
        } catch (TimeoutException slow) {
            LOG.warn("stopping while a claim is being prepared after={}ms", atMost.toMillis());
        }
    }

    /**
     * Starts the operation for each UID. All have started when the method returns; the supplier waits for the answers.
     */
    private <A> Supplier<Map<String, Outcome<A>>> call(
            Operation operation,
            List<ClaimRequest> requests,
            Duration within,
            BiFunction<ClaimRequest, Boolean, PendingClaim<A>> begin) {
        long began = now();
        observer.began(operation);
        var byUid = new LinkedHashMap<String, ClaimRequest>();
        var ambiguous = new HashSet<String>();
        for (ClaimRequest request : requests) {
            ClaimRequest other = byUid.putIfAbsent(request.uid(), request);
            if (other != null && !other.equals(request)) {
                ambiguous.add(request.uid());
            }
        }
        var pending = new LinkedHashMap<String, PendingClaim<A>>();
        byUid.forEach((uid, request) -> pending.put(uid, begin.apply(request, !ambiguous.contains(uid))));
        return () -> answers(operation, pending, within, began);
    }

    private <A> Map<String, Outcome<A>> answers(
            Operation operation, Map<String, PendingClaim<A>> pending, Duration within, long began) {
        var answers = new LinkedHashMap<String, Outcome<A>>();
        pending.forEach((uid, claim) -> answers.put(uid, claim.await(within.minusNanos(now() - began), this::failure)));
        List<RefusalCode> failures = answers.values().stream()
                .flatMap(answer -> answer.refusal().stream())
                .map(Refusal::code)
                .toList();
        failures.forEach(code -> observer.refused(operation, code));
        if (failures.contains(RefusalCode.EFFECT_FAILED)) {
            onFailedFiles.run();
        }
        observer.ended(
                operation, Duration.ofNanos(now() - began), failures.stream().findFirst());
        return answers;
    }

    /**
     * Starts a prepare, or joins the running one of the same claim; the end of a joined call does not end that prepare.
     */
    private PendingClaim<Prepared> prepare(ClaimRequest request, boolean distinct) {
        Optional<ClaimUid> uid = ClaimUid.parse(request.uid());
        Optional<ClaimName> name = ClaimName.parse(request.namespace(), request.name());
        if (uid.isEmpty() || name.isEmpty()) {
            return PendingClaim.settled(Outcome.refused(Refusals.badRequest(request)));
        }
        onPrepare.accept(uid.get());
        var fresh = new PrepareAttempt<>(new ClaimRef(name.get(), uid.get()), work, inFlight::remove);
        PrepareAttempt<D> present = distinct ? inFlight.putIfAbsent(uid.get(), fresh) : null;
        if (!distinct || (present != null && !present.ref().equals(fresh.ref()))) {
            return PendingClaim.settled(Outcome.refused(Refusals.sameUid(request.uid())));
        }
        if (present != null) {
            return new PendingClaim<>(present.answer(), present::reason, reason -> {});
        }
        if (stopping) {
            fresh.end(Outcome.refused(Refusals.stopping()));
        } else if (inFlight.mappingCount() > work.settings().mostInFlight()) {
            fresh.end(Outcome.refused(Refusals.overloaded(work.settings().mostInFlight() + " are in preparation")));
        } else {
            fresh.start();
        }
        return new PendingClaim<>(fresh.answer(), fresh::reason, reason -> fresh.end(Outcome.refused(reason)));
    }

    /** Unprepares a claim by its UID alone; a text that cannot be a UID was never prepared. */
    private PendingClaim<Unprepared> unprepare(ClaimRequest request) {
        Optional<ClaimUid> uid = ClaimUid.parse(request.uid());
        if (uid.isEmpty()) {
            return PendingClaim.settled(Outcome.accepted(new Unprepared()));
        }
        if (stopping) {
            return PendingClaim.settled(Outcome.refused(Refusals.stopping()));
        }
        long began = now();
        Optional<ClaimEntry.Started> started =
                Optional.ofNullable(inFlight.get(uid.get())).flatMap(PrepareAttempt::cancel);
        CompletableFuture<Outcome<Unprepared>> done =
                work.commits().submit(uid.get(), session -> work.unprepare(session, uid.get(), started));
        // After a failed answer the call is over; its task must not later unprepare a claim that was prepared again.
        return new PendingClaim<>(
                done.thenApply(
                        answer -> logged(uid.get(), Quoted.of(request.namespace() + "/" + request.name()), answer)),
                () -> Refusals.filesSlow(Duration.ofNanos(now() - began)),
                reason -> done.cancel(false));
    }

    private static Outcome<Unprepared> logged(ClaimUid claim, String name, Outcome<Unprepared> answer) {
        switch (answer) {
            case Outcome.Accepted<Unprepared> _ -> LOG.info("claim unprepared claim={} uid={}", name, claim);
            case Outcome.Refused<Unprepared>(Refusal reason) ->
                LOG.warn(
                        "claim not unprepared claim={} uid={} code={} reason=\"{}\"",
                        name,
                        claim,
                        reason.code().label(),
                        reason.message());
        }
        return answer;
    }

    private long now() {
        return work.host().nanoTime().getAsLong();
    }

    private Refusal failure(ExecutionException failed) {
        if (failed.getCause() instanceof QueueFullException full) {
            return work.turnedAway(full);
        }
        LOG.error("a claim failed", failed);
        return Refusals.defect();
    }

    /**
     * An answer that a call waits for, with the current reason for the wait, and a receiver of that reason when the
     * call's time is up.
     */
    private record PendingClaim<A>(Future<Outcome<A>> answer, Supplier<Refusal> reason, Consumer<Refusal> giveUp) {

        static <A> PendingClaim<A> settled(Outcome<A> answer) {
            return new PendingClaim<>(CompletableFuture.completedFuture(answer), Refusals::defect, reason -> {});
        }

        /** Waits for the answer; when the time is up, returns the reason for the wait as a refusal. */
        Outcome<A> await(Duration atMost, Function<ExecutionException, Refusal> failure) {
            try {
                return answer.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                Refusal why = reason.get();
                giveUp.accept(why);
                return answer.state() == Future.State.SUCCESS ? answer.resultNow() : Outcome.refused(why);
            } catch (InterruptedException cut) {
                Thread.currentThread().interrupt();
                giveUp.accept(Refusals.stopping());
                return Outcome.refused(Refusals.stopping());
            } catch (ExecutionException failed) {
                return Outcome.refused(failure.apply(failed));
            }
        }
    }

    /**
     * Observes requests (each a call with all its claims) and the ledger, for metrics. Called on any thread; must not
     * block.
     */
    public interface PrepareObserver {

        default void began(Operation operation) {}

        /** A request has been answered; {@code failure} is the code of its first claim that failed, empty for none. */
        default void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {}

        default void refused(Operation operation, RefusalCode code) {}

        /** A prepared claim was ended without the kubelet, since its ResourceClaim is gone. */
        default void endedAsGone() {}

        /** {@code count} CDI specs were written again, since another process had removed or changed them. */
        default void restoredSpecs(int count) {}

        /** The ledger has changed; called once at start too. */
        default void ledger(Ledger ledger) {}

        enum Operation {
            PREPARE,
            UNPREPARE;

            /** The operation as a metric label. */
            public String label() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }
}
