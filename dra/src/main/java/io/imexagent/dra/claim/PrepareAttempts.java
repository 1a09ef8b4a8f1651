package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.dra.worker.Lane;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The prepares in flight, one for each claim at most, and what they work with. */
final class PrepareAttempts {

    private final ClaimWork work;
    private final ClaimGatherer gatherer;
    private final Lane lane;
    private final Timer timer;
    private final Executor threads;
    private final LongSupplier nanoTime;
    private final PrepareSettings settings;
    private final ConcurrentHashMap<ClaimUid, PrepareAttempt> inFlight = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();
    private volatile boolean stopping;

    PrepareAttempts(
            ClaimWork work,
            ClaimGatherer gatherer,
            Lane lane,
            Timer timer,
            Executor threads,
            LongSupplier nanoTime,
            PrepareSettings settings) {
        this.work = work;
        this.gatherer = gatherer;
        this.lane = lane;
        this.timer = timer;
        this.threads = threads;
        this.nanoTime = nanoTime;
        this.settings = settings;
    }

    /** A place in the claim's prepare, which is begun where none is under way. */
    Ticket<PrepareAnswer> ticket(ClaimRef ref, long answerBy) {
        var fresh = new PrepareAttempt(this, ref, answerBy);
        PrepareAttempt present = inFlight.putIfAbsent(ref.uid(), fresh);
        if (present != null) {
            return present.ref().equals(ref)
                    ? joined(present)
                    : Ticket.settled(
                            new PrepareAnswer.Refused(Refusals.sameUid(ref.uid().value())));
        }
        if (stopping) {
            fresh.refuse(Refusals.stopping());
        } else if (inFlight.mappingCount() > settings.mostInFlight()) {
            fresh.refuse(Refusals.overloaded(settings.mostInFlight() + " are in preparation"));
        } else {
            fresh.start();
        }
        return new Ticket<>(fresh.answer(), fresh::check, fresh::expire);
    }

    /** Whoever joins has a deadline of its own, and may leave without ending the prepare. */
    private static Ticket<PrepareAnswer> joined(PrepareAttempt present) {
        CompletableFuture<PrepareAnswer> answer = present.answer().copy();
        return new Ticket<>(answer, () -> {}, () -> answer.complete(new PrepareAnswer.Refused(present.reason())));
    }

    /** The prepare of the claim that is under way. */
    Optional<PrepareAttempt> inFlight(ClaimUid claim) {
        return Optional.ofNullable(inFlight.get(claim));
    }

    /** Something has changed for which a prepare may wait. Never blocks. */
    void wake() {
        changes.incrementAndGet();
        List.copyOf(inFlight.values()).forEach(PrepareAttempt::wake);
    }

    /** Takes no more prepares, and answers those whose plan has not been accepted yet. */
    void stop() {
        stopping = true;
        List.copyOf(inFlight.values()).forEach(PrepareAttempt::stop);
    }

    void ended(PrepareAttempt attempt) {
        inFlight.remove(attempt.ref().uid(), attempt);
    }

    boolean stopping() {
        return stopping;
    }

    /** Counts what {@link #wake} told. */
    long changes() {
        return changes.get();
    }

    ClaimWork work() {
        return work;
    }

    ClaimGatherer gatherer() {
        return gatherer;
    }

    Lane lane() {
        return lane;
    }

    Timer timer() {
        return timer;
    }

    Executor threads() {
        return threads;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    PrepareSettings settings() {
        return settings;
    }
}
