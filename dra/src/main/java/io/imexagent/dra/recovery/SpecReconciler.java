package io.imexagent.dra.recovery;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiDirectory.StoredSpec;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.retry.Backoff;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the CDI specs of prepared claims right: when the numbers of devices change with a reload of their driver, and
 * when another process removes or changes them, since a container that restarts is not prepared again. It looks at once
 * when the directory changes, and within a minute where nothing tells of that.
 */
public final class SpecReconciler extends Loop {

    /** How often to look where nothing tells of a change; with the work after it less than a minute. */
    static final Duration INTERVAL = Duration.ofSeconds(45);

    private static final Duration RETRY = Duration.ofSeconds(30);

    /** The pauses between repairs of what another process breaks again and again. */
    private static final Backoff REPAIRS = new Backoff(Duration.ofSeconds(1), INTERVAL, INTERVAL);

    /** How many failures a message names. */
    private static final int MOST_NAMED = 3;

    private static final Logger LOG = LoggerFactory.getLogger(SpecReconciler.class);

    private final PreparedClaims claims;
    private final ClaimRules<?> rules;
    private final CdiDirectory specs;
    private final Worker worker;
    private final IntConsumer restored;
    private final Consumer<Optional<String>> fault;
    private final LongSupplier nanoTime;
    private final DirectoryWatch watch;

    /** The specs of prepared claims as they stood when they were right. */
    private final Map<ClaimEntry.Completed, StoredSpec> seen = new ConcurrentHashMap<>();

    /** What specs depended on when they were all right. Of the loop alone, as all that follows. */
    private Optional<?> settled = Optional.empty();

    private int repairs;
    private long repaired;
    private String failure = "";

    /**
     * A reconciler that does nothing until it is started. It reports how many specs it {@code restored}, and why others
     * are not right, empty once all are; on its thread, so neither may block.
     */
    public SpecReconciler(
            PreparedClaims claims,
            ClaimRules<?> rules,
            CdiDirectory specs,
            Worker worker,
            IntConsumer restored,
            Consumer<Optional<String>> fault,
            LongSupplier nanoTime) {
        super("specs", new Signal());
        this.claims = claims;
        this.rules = rules;
        this.specs = specs;
        this.worker = worker;
        this.restored = restored;
        this.fault = fault;
        this.nanoTime = nanoTime;
        this.watch = new DirectoryWatch(specs.directory(), specs::isOfClaim, this::wake);
    }

    /** Begins to follow the node, once, after the recovery. */
    @Override
    public void start() {
        rules.onChange(this::wake);
        super.start();
    }

    /** Begins to follow the directory. */
    public void watch() {
        watch.start();
    }

    @Override
    public void close() {
        watch.close();
        super.close();
    }

    /** Looks once, and repairs where that is due; returns when to come back. One thread at a time. */
    @Override
    public Duration turn() throws InterruptedException {
        watch.follow();
        Optional<?> basis = rules.basis();
        boolean news = basis.isPresent() && !basis.equals(settled);
        try {
            if (allRight()) {
                return succeeded(basis);
            }
            Duration left = news && failure.isEmpty() ? Duration.ZERO : untilRepair();
            if (left.isPositive()) {
                return left;
            }
            Repaired done = worker.submit(() -> claims.locked(this::repair)).get();
            report(done.written(), news, basis);
            return done.failures().isEmpty() ? succeeded(basis) : failed(together(done.failures()));
        } catch (ExecutionException unwritten) {
            return failed(Worker.reason(unwritten));
        }
    }

    private static String together(List<String> failures) {
        String named = failures.stream().limit(MOST_NAMED).collect(Collectors.joining("; "));
        int more = failures.size() - MOST_NAMED;
        return more > 0 ? named + "; and " + more + " more" : named;
    }

    /** Without the lock, so that nobody waits for a look; what seems wrong is looked at again under it. */
    private boolean allRight() {
        List<ClaimEntry.Completed> prepared = claims.ledger().completed();
        seen.keySet().retainAll(prepared);
        boolean right = true;
        for (ClaimEntry.Completed claim : prepared) {
            try {
                if (due(claim).isPresent()) {
                    right = false;
                } else {
                    specs.stored(claim.uid()).ifPresent(stored -> seen.put(claim, stored));
                }
            } catch (IOException unread) {
                // The repair meets it again, and reports it.
                right = false;
            }
        }
        return right;
    }

    /** What makes the claim's spec right; empty where it is. */
    private Optional<Repair> due(ClaimEntry.Completed claim) throws IOException {
        ClaimUid uid = claim.uid();
        Optional<ClaimEdits> edits = rules.edits(claim);
        if (edits.isPresent()) {
            return specs.holds(uid, edits.get())
                    ? Optional.empty()
                    : Optional.of(session -> session.run(List.of(new Effect.WriteCdi(uid, edits.get()))));
        }
        // While the node cannot tell, as of an interface that is in its container, what stood there comes back.
        Optional<StoredSpec> stood = Optional.ofNullable(seen.get(claim));
        return stood.isEmpty() || stood.equals(specs.stored(uid))
                ? Optional.empty()
                : Optional.of(session -> session.restore(uid, stood.get()));
    }

    /** Makes one claim's spec right. */
    @FunctionalInterface
    private interface Repair {
        void in(PreparedClaims.LedgerTransaction session) throws IOException;
    }

    /** The claims whose specs were made right, and why others were not. */
    private record Repaired(List<ClaimUid> written, List<String> failures) {

        Repaired {
            written = List.copyOf(written);
            failures = List.copyOf(failures);
        }
    }

    /** On the worker, where no claim is prepared or unprepared meanwhile. One that fails keeps none of the others back. */
    private Repaired repair(PreparedClaims.LedgerTransaction session) {
        var written = new ArrayList<ClaimUid>();
        var failures = new ArrayList<String>();
        for (ClaimEntry.Completed claim : session.ledger().completed()) {
            try {
                Optional<Repair> due = due(claim);
                if (due.isPresent()) {
                    due.get().in(session);
                    written.add(claim.uid());
                }
            } catch (IOException failed) {
                failures.add(String.valueOf(failed.getMessage()));
            }
        }
        return new Repaired(written, failures);
    }

    /** Another process that breaks specs all the time is not fought with, nor a disk that takes none. */
    private Duration untilRepair() {
        long since = nanoTime.getAsLong() - repaired;
        if (repairs > 0 && since > 2 * INTERVAL.toNanos()) {
            repairs = 0;
        }
        return repairs == 0 ? Duration.ZERO : REPAIRS.after(repairs, () -> 1).minusNanos(since);
    }

    private void report(List<ClaimUid> written, boolean news, Optional<?> basis) {
        if (written.isEmpty()) {
            return;
        }
        if (news) {
            LOG.info("CDI specs written for devices as they are now basis=\"{}\" claims={}", basis.get(), written);
            return;
        }
        boolean first = repairs == 0;
        paced();
        restored.accept(written.size());
        if (first) {
            LOG.warn(
                    "another process removed or changed CDI specs of prepared claims, they are written again"
                            + " directory={} claims={}",
                    specs.directory(),
                    written);
        } else {
            LOG.debug("CDI specs written again claims={} repairs={}", written, repairs);
        }
    }

    private void paced() {
        repaired = nanoTime.getAsLong();
        repairs++;
    }

    private Duration succeeded(Optional<?> basis) {
        settled = basis.isPresent() ? basis : settled;
        if (!failure.isEmpty()) {
            LOG.info("CDI specs of prepared claims are right again");
            failure = "";
            fault.accept(Optional.empty());
        }
        return INTERVAL;
    }

    private Duration failed(String why) {
        paced();
        if (!why.equals(failure)) {
            LOG.warn("CDI specs of prepared claims not written, trying again reason=\"{}\"", why);
            failure = why;
        }
        fault.accept(Optional.of(why));
        return RETRY;
    }
}
