package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.LaneFullException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the kubelet: each claim for itself, all of them within the call's time. Claims are asked for at the same time,
 * each on a thread of its own; plans are carried out on the lane, one after the other; what can still come good waits
 * for it, as long as the call allows.
 */
public final class ClaimService implements ClaimPreparer {

    /** What is left of a call's time for the way back. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(ClaimService.class);

    private final ClaimBook book;
    private final ClaimRules rules;
    private final Lane lane;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final PrepareSettings settings;
    private final PrepareObserver observer;
    private final ClaimWork work;
    private final PrepareAttempts attempts;

    /**
     * A service over a book, which {@link Recovery} has to open before the first call.
     *
     * @param book the claims of this node
     * @param gatherer asks Kubernetes
     * @param rules what the driver makes of claims
     * @param lane carries plans out
     * @param threads runs what blocks, each task on a thread of its own
     * @param timer ends pauses and calls
     * @param clock the time of day, for aborted claims
     * @param nanoTime the monotonic clock
     * @param settings the limits
     * @param observer is told of requests and of the ledger
     */
    public ClaimService(
            ClaimBook book,
            ClaimGatherer gatherer,
            ClaimRules rules,
            Lane lane,
            Executor threads,
            Timer timer,
            InstantSource clock,
            LongSupplier nanoTime,
            PrepareSettings settings,
            PrepareObserver observer) {
        this.book = book;
        this.rules = rules;
        this.lane = lane;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.settings = settings;
        this.observer = observer;
        this.work = new ClaimWork(book, rules, settings.gate(), clock);
        this.attempts = new PrepareAttempts(work, gatherer, lane, timer, threads, nanoTime, settings);
    }

    /** Begins to listen for changes of ledger and node; once, before the first call. */
    public void start() {
        book.onChange(ledger -> {
            observer.ledger(ledger);
            attempts.wake();
        });
        rules.onChange(attempts::wake);
        observer.ledger(book.ledger());
    }

    /** Whether a prepare of the claim is under way. */
    public boolean isPreparing(ClaimUid claim) {
        return attempts.inFlight(claim).isPresent();
    }

    @Override
    public CompletionStage<Map<String, PrepareAnswer>> prepare(List<ClaimRequest> claims, Duration remaining) {
        Duration within = within(remaining);
        long answerBy = nanoTime.getAsLong() + within.toNanos();
        return call(
                Operation.PREPARE,
                tickets(
                        claims,
                        (request, twice) -> twice
                                ? Ticket.settled(new PrepareAnswer.Refused(Refusals.sameUid(request.uid())))
                                : prepareTicket(request, answerBy)),
                answerBy,
                answer -> switch (answer) {
                    case PrepareAnswer.Prepared prepared -> Optional.empty();
                    case PrepareAnswer.Refused refused ->
                        Optional.of(refused.refusal().code());
                });
    }

    @Override
    public CompletionStage<Map<String, UnprepareAnswer>> unprepare(List<ClaimRequest> claims) {
        long answerBy = nanoTime.getAsLong() + settings.answerWithin().toNanos();
        return call(
                Operation.UNPREPARE,
                tickets(claims, (request, twice) -> unprepareTicket(request)),
                answerBy,
                answer -> switch (answer) {
                    case UnprepareAnswer.Done done -> Optional.empty();
                    case UnprepareAnswer.Failed failed ->
                        Optional.of(failed.refusal().code());
                });
    }

    /**
     * Takes no more requests, answers claims that wait, and lets what is on the lane end.
     *
     * @param atMost how long to wait for the lane
     */
    public void stop(Duration atMost) throws InterruptedException {
        attempts.stop();
        try {
            // The lane is a queue: behind this one nothing is left.
            lane.submit(() -> true).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException closed) {
            LOG.warn("claims were not waited for reason=\"{}\"", closed.getMessage());
        } catch (TimeoutException slow) {
            LOG.warn("stopping with a claim in work after={}ms", atMost.toMillis());
        }
    }

    private Duration within(Duration remaining) {
        Duration margin = remaining.dividedBy(10).compareTo(MARGIN) < 0 ? remaining.dividedBy(10) : MARGIN;
        Duration left = remaining.minus(margin);
        return left.compareTo(settings.answerWithin()) < 0 ? left : settings.answerWithin();
    }

    /** One ticket for each UID; told is whether different claims have that one UID. */
    private static <A> Map<String, Ticket<A>> tickets(
            List<ClaimRequest> claims, BiFunction<ClaimRequest, Boolean, Ticket<A>> ticket) {
        var byUid = new LinkedHashMap<String, ClaimRequest>();
        var twice = new LinkedHashMap<String, Boolean>();
        for (ClaimRequest claim : claims) {
            ClaimRequest other = byUid.putIfAbsent(claim.uid(), claim);
            twice.merge(claim.uid(), other != null && !other.equals(claim), Boolean::logicalOr);
        }
        var tickets = new LinkedHashMap<String, Ticket<A>>();
        byUid.forEach((uid, claim) -> tickets.put(uid, ticket.apply(claim, twice.getOrDefault(uid, false))));
        return tickets;
    }

    private Ticket<PrepareAnswer> prepareTicket(ClaimRequest request, long answerBy) {
        Optional<ClaimUid> uid = ClaimUid.parse(request.uid());
        Optional<ClaimName> name = ClaimName.parse(request.namespace(), request.name());
        return uid.isEmpty() || name.isEmpty()
                ? Ticket.settled(new PrepareAnswer.Refused(Refusals.badRequest(request)))
                : attempts.ticket(new ClaimRef(name.get(), uid.get()), answerBy);
    }

    /** What cannot be a UID was never prepared, and the names of a claim do not matter here. */
    private Ticket<UnprepareAnswer> unprepareTicket(ClaimRequest request) {
        return ClaimUid.parse(request.uid())
                .map(this::unprepareTicket)
                .orElseGet(() -> Ticket.settled(new UnprepareAnswer.Done()));
    }

    private Ticket<UnprepareAnswer> unprepareTicket(ClaimUid claim) {
        if (attempts.stopping()) {
            return Ticket.settled(new UnprepareAnswer.Failed(Refusals.stopping()));
        }
        long began = nanoTime.getAsLong();
        attempts.inFlight(claim).ifPresent(PrepareAttempt::cancel);
        var answer = new CompletableFuture<UnprepareAnswer>();
        // A call that was answered as failed is over: what the lane comes to later must not end a claim that came back.
        var _ = lane.submit(() -> answer.isDone() ? answer.join() : work.unprepare(claim))
                .handle((given, failure) -> answer.isDone() || answer.complete(unprepared(claim, given, failure)));
        return new Ticket<>(
                answer,
                () -> {},
                () -> answer.complete(new UnprepareAnswer.Failed(
                        Refusals.filesSlow(Duration.ofNanos(nanoTime.getAsLong() - began)))));
    }

    private UnprepareAnswer unprepared(ClaimUid claim, @Nullable UnprepareAnswer given, @Nullable Throwable failure) {
        UnprepareAnswer answer;
        if (failure instanceof LaneFullException full) {
            answer = new UnprepareAnswer.Failed(attempts.stopping() ? Refusals.stopping() : Refusals.overloaded(full));
        } else if (given == null) {
            LOG.error("unprepare failed uid={}", claim, failure);
            return new UnprepareAnswer.Failed(Refusals.defect());
        } else {
            answer = given;
        }
        switch (answer) {
            case UnprepareAnswer.Done done -> LOG.info("claim unprepared uid={}", claim);
            case UnprepareAnswer.Failed failed -> {
                Refusal refusal = failed.refusal();
                LOG.warn(
                        "claim not unprepared uid={} code={} reason=\"{}\"",
                        claim,
                        refusal.code().label(),
                        refusal.message());
            }
        }
        return answer;
    }

    private <A> CompletableFuture<Map<String, A>> call(
            Operation operation,
            Map<String, Ticket<A>> tickets,
            long answerBy,
            Function<A, Optional<RefusalCode>> failureOf) {
        long began = nanoTime.getAsLong();
        observer.began(operation);
        Collection<Ticket<A>> all = tickets.values();
        CompletableFuture<Map<String, A>> call = CompletableFuture.allOf(
                        all.stream().map(Ticket::answer).toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    var answers = new LinkedHashMap<String, A>();
                    tickets.forEach(
                            (uid, ticket) -> answers.put(uid, ticket.answer().join()));
                    List<RefusalCode> failures = answers.values().stream()
                            .flatMap(answer -> failureOf.apply(answer).stream())
                            .toList();
                    failures.forEach(code -> observer.refused(operation, code));
                    observer.ended(
                            operation,
                            Duration.ofNanos(nanoTime.getAsLong() - began),
                            failures.stream().findFirst());
                    return answers;
                });
        new CallDeadline(
                        all,
                        call,
                        timer,
                        nanoTime,
                        answerBy,
                        settings.apiPatience().dividedBy(2))
                .begin();
        return call;
    }
}
