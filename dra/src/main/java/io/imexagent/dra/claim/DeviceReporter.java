package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.DeviceReports.DeviceReport;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the devices of each prepared claim in the claim's status, once, after the answer to the kubelet. The pending
 * reports are the ledger's claims without a report, so there is no queue. No call waits for a report, and none is
 * withdrawn: the API server removes the entries when the claim is deallocated.
 */
public final class DeviceReporter extends Loop {

    /** The delay before a report, so that a claim whose grant is revoked at once is not reported. */
    static final Duration REST = Duration.ofSeconds(2);

    /**
     * How often the report of one claim may fail. Failures for a missing right, or without an API server, do not count.
     */
    static final int TRIES = 8;

    /** The pause before the next try while the right is missing, however many claims wait. */
    static final Duration ASK_AGAIN = Duration.ofMinutes(10);

    /**
     * From this many refusals on, the right is considered missing; a single claim may be refused for its own sake, for
     * example if it is not allocated to this node alone.
     */
    private static final int REFUSED_FOR_ALL = 2;

    private static final Backoff AWAY =
            new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(DeviceReporter.class);

    private final PreparedClaims prepared;
    private final ClaimRules<?> rules;
    private final DeviceReports reports;
    private final Claims claims;
    private final ClaimHost host;

    /** Progress by the whole entry, so that a claim that is prepared again is a new one. Guarded by itself. */
    private final Map<ClaimEntry.Completed, Progress> known = new HashMap<>();

    /** Whether the loop has begun; guarded by {@link #known}. */
    private boolean looked;

    // Used by the loop's thread alone.
    private int refusedInRow;
    private int outages;
    private boolean complained;
    private long quietUntil;

    /**
     * The progress of a claim's report; {@code fromBefore} marks a claim that was prepared before the agent started.
     * The facts are read when the ledger changes, since an interface that moves into a container disappears a moment
     * later. Only the loop's thread changes the mutable state.
     */
    private static final class Progress {

        private final ClaimEntry.Completed entry;
        private final boolean fromBefore;
        private final List<DeviceReport> devices;
        private long due;
        private int failures;
        private boolean complained;
        private boolean settled;

        Progress(ClaimEntry.Completed entry, boolean fromBefore, List<DeviceReport> devices, long due) {
            this.entry = entry;
            this.fromBefore = fromBefore;
            this.devices = devices;
            this.due = due;
        }
    }

    /** A reporter that has not begun; {@code claims} reads those that an earlier life of the agent may have reported. */
    public DeviceReporter(
            PreparedClaims prepared, ClaimRules<?> rules, DeviceReports reports, Claims claims, ClaimHost host) {
        super("device-reports", new Signal());
        this.prepared = prepared;
        this.rules = rules;
        this.reports = reports;
        this.claims = claims;
        this.host = host;
        this.quietUntil = now();
        prepared.onChange(ledger -> {
            changed();
            wake();
        });
    }

    /**
     * Called on the thread of claims, which a defect here must not end; the loop's next turn meets and logs the defect.
     */
    private void changed() {
        synchronized (known) {
            if (looked) {
                try {
                    look(false);
                } catch (RuntimeException defect) {
                    LOG.debug("devices are looked at again in the next turn", defect);
                }
            }
        }
    }

    /** Adds the new claims of the ledger, and drops the removed ones. */
    private void look(boolean fromBefore) {
        List<ClaimEntry.Completed> all = prepared.ledger().completed();
        known.keySet().retainAll(Set.copyOf(all));
        long due = fromBefore ? now() : now() + REST.toNanos();
        for (ClaimEntry.Completed entry : all) {
            known.computeIfAbsent(entry, _ -> new Progress(entry, fromBefore, devices(entry), due));
        }
    }

    @Override
    protected Duration turn() throws InterruptedException {
        List<Progress> inTurn;
        synchronized (known) {
            look(!looked);
            looked = true;
            long began = now();
            inTurn = known.values().stream()
                    .sorted(Comparator.comparingLong(progress -> progress.due - began))
                    .toList();
        }
        for (Progress progress : inTurn) {
            if (!progress.settled && progress.due - now() <= 0 && quietUntil - now() <= 0) {
                settle(progress);
            }
        }
        return pause(inTurn);
    }

    /** The pause until the next report is due; a new claim ends it. */
    private Duration pause(List<Progress> all) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("the agent ends");
        }
        long now = now();
        long quiet = quietUntil - now;
        return all.stream()
                .filter(progress -> !progress.settled)
                .map(progress -> Duration.ofNanos(Math.max(0, Math.max(progress.due - now, quiet))))
                .min(Duration::compareTo)
                .orElse(Signal.UNTIL_RAISED);
    }

    private void settle(Progress progress) {
        ClaimEntry.Completed entry = progress.entry;
        try {
            if (entry.name().isPresent()) {
                var ref = new ClaimRef(entry.name().get(), entry.uid());
                if (!progress.fromBefore || lacksReport(ref)) {
                    reports.report(ref.name(), ref.uid().value(), progress.devices);
                    complained = false;
                }
            }
            progress.settled = true;
            refusedInRow = 0;
            outages = 0;
        } catch (ApiException e) {
            if (!Thread.currentThread().isInterrupted()) {
                failed(progress, e.failure());
            }
        }
    }

    /** Whether the claim still needs a report: not if it is deleted, or its name belongs to another claim. */
    private boolean lacksReport(ClaimRef ref) throws ApiException {
        return ReadClaim.of(claims, ref)
                .toOptional()
                .filter(claim -> claim.status().devices().stream()
                        .noneMatch(device -> device.driver().equals(rules.driverName())))
                .isPresent();
    }

    private List<DeviceReport> devices(ClaimEntry.Completed entry) {
        Instant now = host.clock().instant();
        return entry.devices().stream().map(device -> report(device, now)).toList();
    }

    private DeviceReport report(PreparedDevice device, Instant since) {
        PreparedDevice.ReturnedDevice handed = device.returned();
        return new DeviceReport(
                rules.driverName(), handed.pool(), handed.device(), handed.shareId(), rules.facts(device), since);
    }

    private void failed(Progress progress, ApiFailure failure) {
        switch (failure.kind()) {
            case NOT_FOUND, NO_RELATIONSHIP -> progress.settled = true;
            case INVALID, ADMISSION, QUOTA, NAMESPACE_ENDING -> giveUp(progress, failure);
            case FORBIDDEN, UNAUTHORIZED, NO_KUBECONFIG, OTHER_NODE, UNSUPPORTED -> refused(progress, failure);
            case CONFLICT, GONE, UNREADABLE -> again(progress, failure);
            case UNREACHABLE, TIMEOUT, THROTTLED, SERVER_ERROR -> away(progress, failure);
        }
    }

    private void again(Progress progress, ApiFailure failure) {
        progress.failures++;
        if (progress.failures >= TRIES) {
            giveUp(progress, failure);
            return;
        }
        progress.due = now()
                + AWAY.after(progress.failures, failure.retryAfter(), host.random())
                        .toNanos();
        notYet(progress, failure);
    }

    /**
     * Handles an API server that does not answer. It counts against no claim; one request at a time tests whether it
     * answers again.
     */
    private void away(Progress progress, ApiFailure failure) {
        outages++;
        quietUntil =
                now() + AWAY.after(outages, failure.retryAfter(), host.random()).toNanos();
        // After the others, in case the server fails for this claim alone.
        progress.due = quietUntil;
        notYet(progress, failure);
    }

    private static void notYet(Progress progress, ApiFailure failure) {
        LOG.debug("devices of a claim not reported yet uid={} error=\"{}\"", progress.entry.uid(), failure.message());
    }

    private static void giveUp(Progress progress, ApiFailure failure) {
        progress.settled = true;
        LOG.warn("devices of a claim not reported uid={} reason=\"{}\"", progress.entry.uid(), failure.message());
    }

    /**
     * Handles a missing right, which only the operator can grant: it is logged once, and one or two claims are tried
     * now and then.
     */
    private void refused(Progress progress, ApiFailure failure) {
        progress.due = now() + ASK_AGAIN.toNanos();
        refusedInRow++;
        if (refusedInRow >= REFUSED_FOR_ALL) {
            refusedInRow = 0;
            quietUntil = progress.due;
        }
        if (!complained && !progress.complained) {
            complained = true;
            progress.complained = true;
            LOG.warn(
                    "devices of claims cannot be reported, trying again every {} min kind={} reason=\"{}\"",
                    ASK_AGAIN.toMinutes(),
                    failure.kind().label(),
                    failure.message());
        }
    }

    private long now() {
        return host.nanoTime().getAsLong();
    }
}
