package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.kubernetes.Claims;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes, at start and every ten minutes, begun claims whose ResourceClaim is gone, and old aborted entries. */
public final class Sweeper extends Loop {

    public static final Duration INTERVAL = Duration.ofMinutes(10);

    /**
     * How long an entry is known, twice the kubelet's deadline for a call, before it counts as gone where the API
     * server cannot tell: a pod may just have been bound. No claim of such an entry was answered, so dropping the entry
     * is safe.
     */
    static final Duration LONG_ENOUGH = Duration.ofSeconds(90);

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private final PreparedClaims prepared;
    private final Claims claims;
    private final Predicate<ClaimUid> preparing;
    private final Worker worker;
    private final ClaimHost host;

    /** When an entry was seen first, on the monotonic clock. Of the sweep alone, of which there is one at a time. */
    private final Map<ClaimEntry.Started, Long> known = new HashMap<>();

    /** A sweeper; claims whose prepare is under way ({@link ClaimService#isPreparing}) are left alone. */
    public Sweeper(
            PreparedClaims prepared, Claims claims, Predicate<ClaimUid> preparing, Worker worker, ClaimHost host) {
        super("sweep", new Signal());
        this.prepared = prepared;
        this.claims = claims;
        this.preparing = preparing;
        this.worker = worker;
        this.host = host;
    }

    /** Sweeps once, and logs what failed; returns when to come back. One thread at a time. */
    @Override
    public Duration turn() throws InterruptedException {
        List<ClaimEntry.Started> suspects = prepared.ledger().all(ClaimEntry.Started.class);
        known.keySet().retainAll(suspects);
        suspects.forEach(suspect -> known.putIfAbsent(suspect, host.nanoTime().getAsLong()));
        var gone = new HashSet<ClaimEntry.Started>();
        boolean undecided = false;
        for (ClaimEntry.Started suspect : suspects) {
            switch (fate(suspect)) {
                case GONE -> gone.add(suspect);
                case UNDECIDED -> undecided = true;
                case ALIVE -> {}
            }
        }
        try {
            if (!plan(prepared.ledger(), uids(gone.stream()), host.clock().instant())
                    .isEmpty()) {
                var _ = worker.submit(() -> remove(gone)).get();
            }
        } catch (ExecutionException failure) {
            LOG.warn(
                    "started claims that no longer exist could not be removed, trying again in={}s reason=\"{}\"",
                    INTERVAL.toSeconds(),
                    Worker.reason(failure));
            return INTERVAL;
        }
        return undecided ? LONG_ENOUGH : INTERVAL;
    }

    /** The effects of a sweep, with the claims that no longer exist or have another UID. */
    public static List<Effect> plan(Ledger ledger, Set<ClaimUid> gone, Instant now) {
        var effects = new ArrayList<Effect>();
        for (ClaimEntry entry : ledger.entries().values()) {
            if (entry instanceof ClaimEntry.Started && gone.contains(entry.uid())) {
                effects.add(new Effect.RemoveCdi(entry.uid()));
                effects.add(new Effect.ForgetEntry(entry.uid()));
            } else if (entry instanceof ClaimEntry.Aborted aborted && ClaimPlanner.expired(aborted, now)) {
                effects.add(new Effect.ForgetEntry(entry.uid()));
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
        return switch (ClaimPresence.of(claims, suspect.name().get(), suspect.uid())) {
            case ClaimPresence.ClaimPresent _ -> Fate.ALIVE;
            case ClaimPresence.ClaimDeleted _ -> Fate.GONE;
            case ClaimPresence.ClaimOfNoPod _ -> goneWithTime(suspect);
            case ClaimPresence.PresenceUnknown(String why) -> {
                if (!Thread.currentThread().isInterrupted()) {
                    LOG.warn(
                            "cannot tell whether a started claim still exists, trying again later uid={} reason=\"{}\"",
                            suspect.uid(),
                            why);
                }
                yield Fate.ALIVE;
            }
        };
    }

    private Fate goneWithTime(ClaimEntry.Started suspect) {
        long now = host.nanoTime().getAsLong();
        return now - known.getOrDefault(suspect, now) >= LONG_ENOUGH.toNanos() ? Fate.GONE : Fate.UNDECIDED;
    }

    /** On the worker: much may have happened since the API server was asked. */
    private boolean remove(Set<ClaimEntry.Started> gone) throws IOException, InterruptedException {
        Set<ClaimUid> swept = prepared.locked(session -> {
            Set<ClaimUid> still = uids(session.ledger().all(ClaimEntry.Started.class).stream()
                    .filter(claim -> gone.contains(claim) && !preparing.test(claim.uid())));
            session.run(plan(session.ledger(), still, host.clock().instant()));
            return still;
        });
        if (!swept.isEmpty()) {
            LOG.info("started claims removed, they no longer exist claims={}", swept);
        }
        return true;
    }

    private static Set<ClaimUid> uids(Stream<ClaimEntry.Started> entries) {
        return entries.map(ClaimEntry.Started::uid).collect(Collectors.toSet());
    }

    private enum Fate {
        ALIVE,
        GONE,
        UNDECIDED
    }
}
