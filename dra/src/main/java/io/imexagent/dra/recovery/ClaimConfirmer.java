package io.imexagent.dra.recovery;

import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.kubernetes.Claims;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends prepared claims that no kubelet will (docs/decisions/0058). Of those that the kubelet does not have the API
 * server is asked when a kubelet comes, and every hour; one absent three times over half an hour is unprepared.
 */
public final class ClaimConfirmer extends Loop {

    /** How often, where nothing else is the reason. */
    static final Duration INTERVAL = Duration.ofHours(1);

    /** How soon a claim that was absent is looked for again: three times take half an hour. */
    static final Duration AGAIN = Absences.LONG_ENOUGH.dividedBy(Absences.ENOUGH - 1);

    /** A kubelet that comes has this time for its pods, before it counts what it does not have. */
    static final Duration SETTLING = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(ClaimConfirmer.class);

    private final PreparedClaims prepared;
    private final Claims claims;
    private final Worker worker;
    private final ClaimHost host;
    private final Runnable ended;
    private final Absences absences = new Absences();
    private final AtomicBoolean hastened = new AtomicBoolean();

    /** When to look next, on the monotonic clock. Of the loop alone, of which there is one. */
    private long due;

    /**
     * A confirmer that looks within the hour, or soon after a kubelet has come, and runs {@code ended} on the worker
     * for each claim that it ended; random numbers in 0 … 1 spread the nodes' questions.
     */
    public ClaimConfirmer(PreparedClaims prepared, Claims claims, Worker worker, ClaimHost host, Runnable ended) {
        super("confirm", new Signal());
        this.prepared = prepared;
        this.claims = claims;
        this.worker = worker;
        this.host = host;
        this.ended = ended;
        this.due = now() + part(INTERVAL);
    }

    /** A kubelet has come that may not know what is prepared here: the next turn looks soon. Never blocks. */
    public void kubeletCame() {
        hastened.set(true);
        wake();
    }

    /** The kubelet prepares the claim, so it will unprepare it. Never blocks. */
    public void preparing(ClaimUid claim) {
        absences.keep(entry -> !entry.uid().equals(claim));
    }

    /** Looks where that is due; returns when to come back. One thread at a time. */
    @Override
    public Duration turn() throws InterruptedException {
        if (hastened.getAndSet(false)) {
            long settled = now() + SETTLING.toNanos() + part(SETTLING);
            due = settled - due < 0 ? settled : due;
        }
        long left = due - now();
        if (left > 0) {
            return Duration.ofNanos(left);
        }
        Duration pause = confirm();
        due = now() + pause.toNanos();
        return pause;
    }

    private Duration confirm() throws InterruptedException {
        KubeletClaims known = KubeletClaims.read(host.kubeletRoot());
        if (known instanceof KubeletClaims.UnreadableKubeletClaims(String reason)) {
            LOG.warn("prepared claims not confirmed, the kubelet's claims are unknown reason=\"{}\"", reason);
            return spread(INTERVAL);
        }
        List<ClaimEntry.Completed> suspects = prepared.ledger().completed().stream()
                .filter(claim -> claim.name().isPresent() && lacks(known, claim))
                .toList();
        absences.keep(suspects::contains);
        for (ClaimEntry.Completed suspect : suspects) {
            check(suspect);
        }
        end(suspects);
        return spread(absences.isEmpty() ? INTERVAL : AGAIN);
    }

    private static boolean lacks(KubeletClaims known, ClaimEntry.Completed claim) {
        return known.has(claim.uid()).filter(has -> !has).isPresent();
    }

    private void check(ClaimEntry.Completed suspect) throws InterruptedException {
        ClaimPresence presence = ClaimPresence.of(claims, suspect.name().orElseThrow(), suspect.uid());
        if (Thread.interrupted()) {
            throw new InterruptedException("closed");
        }
        switch (presence) {
            case ClaimPresence.ClaimPresent _ -> absences.keep(entry -> !entry.equals(suspect));
            case ClaimPresence.ClaimAbsent absent -> {
                absences.absent(suspect, now());
                LOG.info("prepared claim is absent uid={} reason=\"{}\"", suspect.uid(), absent.text());
            }
            case ClaimPresence.PresenceUnknown(String why) ->
                LOG.warn("prepared claim not confirmed, trying again later uid={} reason=\"{}\"", suspect.uid(), why);
        }
    }

    private void end(List<ClaimEntry.Completed> suspects) throws InterruptedException {
        if (suspects.stream().noneMatch(suspect -> absences.proof(suspect).isPresent())) {
            return;
        }
        try {
            worker.submit(() -> prepared.locked(this::endGone)).get().forEach(this::ended);
        } catch (ExecutionException failure) {
            LOG.warn(
                    "claims without a ResourceClaim not ended, trying again later reason=\"{}\"",
                    Worker.reason(failure));
        }
    }

    /** On the worker: much may have happened since the API server was asked. Returns the claims that it ends. */
    private List<ClaimEntry.Completed> endGone(PreparedClaims.LedgerTransaction session) throws IOException {
        KubeletClaims known = KubeletClaims.read(host.kubeletRoot());
        List<ClaimEntry.Completed> gone = session.ledger().completed().stream()
                .filter(claim -> absences.proof(claim).isPresent() && lacks(known, claim))
                .toList();
        for (ClaimEntry.Completed claim : gone) {
            session.run(ClaimPlanner.unprepare(claim, host.clock().instant()));
        }
        return gone;
    }

    private void ended(ClaimEntry.Completed claim) {
        Optional<Absences.Absence> proof = absences.proof(claim);
        LOG.warn(
                "claim ended because its ResourceClaim is gone claim={} uid={} devices={} absent={} over={}s",
                claim.name().orElseThrow(),
                claim.uid(),
                claim.devices().stream()
                        .map(device -> device.returned().device())
                        .toList(),
                proof.map(Absences.Absence::count).orElse(0),
                proof.map(absence -> absence.time().toSeconds()).orElse(0L));
        absences.keep(entry -> !entry.equals(claim));
        ended.run();
    }

    private long now() {
        return host.nanoTime().getAsLong();
    }

    private long part(Duration of) {
        return (long) (of.toNanos() * host.random().getAsDouble());
    }

    /** The time, or up to a fifth more. */
    private Duration spread(Duration time) {
        return time.plusNanos(part(time.dividedBy(5)));
    }

    /** How often and how long prepared claims were absent; thread-safe. A claim prepared again begins from nothing. */
    static final class Absences {

        /** One answer may be an API server that has just started, or a network that leads elsewhere. */
        static final int ENOUGH = 3;

        /** Longer than a roll-over of a control plane. */
        static final Duration LONG_ENOUGH = Duration.ofMinutes(30);

        private final Map<ClaimEntry.Completed, Absence> claims = new ConcurrentHashMap<>();

        /** The absence of one claim: how often it was absent, and when for the first and the last time. */
        record Absence(int count, long first, long last) {

            Duration time() {
                return Duration.ofNanos(last - first);
            }
        }

        boolean isEmpty() {
            return claims.isEmpty();
        }

        void absent(ClaimEntry.Completed claim, long now) {
            claims.merge(
                    claim,
                    new Absence(1, now, now),
                    (before, once) -> new Absence(before.count() + 1, before.first(), now));
        }

        void keep(Predicate<ClaimEntry.Completed> counted) {
            claims.keySet().removeIf(counted.negate());
        }

        /** The absence that proves that the claim is gone; empty while there is none. */
        Optional<Absence> proof(ClaimEntry.Completed claim) {
            return Optional.ofNullable(claims.get(claim))
                    .filter(absence ->
                            absence.count() >= ENOUGH && absence.time().compareTo(LONG_ENOUGH) >= 0);
        }
    }
}
