package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.worker.Worker;
import io.imexagent.kubernetes.Claims;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what the kubelet will not come back for: claims whose prepare began and whose ResourceClaim is gone or another one, and
 * aborted entries that have done their work. At start and every ten minutes.
 */
public final class Sweeper {

    /** How often. */
    public static final Duration INTERVAL = Duration.ofMinutes(10);

    /**
     * How long an entry is known before it counts as gone where the API server cannot tell. The Node authorizer's "no relationship"
     * may mean a pod that was just bound and is not in the authorizer's graph yet. A claim whose name an old checkpoint
     * did not record cannot be asked for; the kubelet prepares it again within this time, twice its deadline for a call,
     * which records the name, or it never will. Nothing of such a claim was ever answered, so forgetting it is safe.
     */
    static final Duration LONG_ENOUGH = Duration.ofSeconds(90);

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private final PreparedClaims prepared;
    private final Claims claims;
    private final Predicate<ClaimUid> preparing;
    private final Worker worker;
    private final InstantSource clock;
    private final LongSupplier nanoTime;

    /** When an entry was seen first, on the monotonic clock. Of the sweep alone, of which there is one at a time. */
    private final Map<ClaimEntry.Started, Long> known = new HashMap<>();

    /**
     * A sweeper that has seen nothing yet.
     *
     * @param claims asks for claims; may be slow
     * @param preparing tells claims whose prepare is under way, {@link ClaimService#isPreparing}
     */
    public Sweeper(
            PreparedClaims prepared,
            Claims claims,
            Predicate<ClaimUid> preparing,
            Worker worker,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.prepared = prepared;
        this.claims = claims;
        this.preparing = preparing;
        this.worker = worker;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /** Sweeps once, and logs what failed; returns when to come back. One thread at a time. */
    public Duration turn() throws InterruptedException {
        try {
            return sweep();
        } catch (ExecutionException failure) {
            LOG.warn("sweep failed, trying again in {} reason=\"{}\"", INTERVAL, Worker.reason(failure));
        }
        return INTERVAL;
    }

    /** Sweeps once; returns when to come back. */
    public Duration sweep() throws InterruptedException, ExecutionException {
        List<ClaimEntry.Started> suspects = suspects(prepared.ledger());
        known.keySet().retainAll(suspects);
        suspects.forEach(suspect -> known.putIfAbsent(suspect, nanoTime.getAsLong()));
        var gone = new HashSet<ClaimEntry.Started>();
        boolean undecided = false;
        for (ClaimEntry.Started suspect : suspects) {
            switch (fate(suspect)) {
                case GONE -> gone.add(suspect);
                case UNDECIDED -> undecided = true;
                case ALIVE -> {}
            }
        }
        if (!plan(prepared.ledger(), uids(gone), clock.instant()).isEmpty()) {
            var _ = worker.submit(() -> remove(gone)).get();
        }
        return undecided ? LONG_ENOUGH : INTERVAL;
    }

    /** The claims whose prepare began and did not end: whether they still exist is to be asked. */
    public static List<ClaimEntry.Started> suspects(Ledger ledger) {
        return ledger.entries().values().stream()
                .<ClaimEntry.Started>mapMulti((entry, into) -> {
                    if (entry instanceof ClaimEntry.Started started) {
                        into.accept(started);
                    }
                })
                .toList();
    }

    /**
     * The effects of a sweep: what began for a claim that is gone, and aborted entries that have done their work.
     *
     * @param gone claims that no longer exist, or have another UID
     */
    public static List<Effect> plan(Ledger ledger, Set<ClaimUid> gone, Instant now) {
        var effects = new ArrayList<Effect>();
        for (ClaimEntry entry : ledger.entries().values()) {
            switch (entry) {
                case ClaimEntry.Started started -> {
                    if (gone.contains(started.uid())) {
                        effects.add(new Effect.RemoveCdi(started.uid()));
                        effects.add(new Effect.ForgetEntry(started.uid()));
                    }
                }
                case ClaimEntry.Aborted aborted -> {
                    if (ClaimPlanner.expired(aborted, now)) {
                        effects.add(new Effect.ForgetEntry(aborted.uid()));
                    }
                }
                case ClaimEntry.Completed completed -> {}
            }
        }
        return List.copyOf(effects);
    }

    private Fate fate(ClaimEntry.Started suspect) {
        if (preparing.test(suspect.uid())) {
            return Fate.ALIVE;
        }
        if (suspect.name().isEmpty()) {
            return goneWithTime(suspect);
        }
        return switch (Sighting.of(claims, suspect.name().get(), suspect.uid())) {
            case Sighting.Present _ -> Fate.ALIVE;
            case Sighting.Gone _ -> Fate.GONE;
            case Sighting.Unrelated _ -> goneWithTime(suspect);
            case Sighting.Untold(String why) -> {
                if (!Thread.currentThread().isInterrupted()) {
                    LOG.warn("claim not swept, trying again later uid={} reason=\"{}\"", suspect.uid(), why);
                }
                yield Fate.ALIVE;
            }
        };
    }

    private Fate goneWithTime(ClaimEntry.Started suspect) {
        long now = nanoTime.getAsLong();
        return now - known.getOrDefault(suspect, now) >= LONG_ENOUGH.toNanos() ? Fate.GONE : Fate.UNDECIDED;
    }

    /** On the worker: much may have happened since the API server was asked. */
    private boolean remove(Set<ClaimEntry.Started> gone) throws Exception {
        return prepared.locked(session -> {
            var still = new HashSet<ClaimEntry.Started>();
            for (ClaimEntry.Started claim : suspects(session.ledger())) {
                if (gone.contains(claim) && !preparing.test(claim.uid())) {
                    still.add(claim);
                }
            }
            List<Effect> effects = plan(session.ledger(), uids(still), clock.instant());
            session.run(effects);
            LOG.info("stale claims swept claims={} effects={}", uids(still), effects.size());
            return true;
        });
    }

    private static Set<ClaimUid> uids(Set<ClaimEntry.Started> entries) {
        var uids = new HashSet<ClaimUid>();
        entries.forEach(entry -> uids.add(entry.uid()));
        return uids;
    }

    private enum Fate {
        ALIVE,
        GONE,
        UNDECIDED
    }
}
