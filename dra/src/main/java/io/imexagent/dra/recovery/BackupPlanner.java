package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimRules;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Plans what the ledger of a backup is worth, which is at least one change behind. Pure.
 *
 * <p>CDI specs tell what the lost change may have been, since a prepare writes the spec before its last entry, and an
 * unprepare removes it first. In doubt a claim holds its channel: an answer that was forgotten would let a second
 * workload have it.
 */
public final class BackupPlanner {

    private final Promise promise;

    /** A planner that finds out like this what begun claims were to be given. */
    public BackupPlanner(Promise promise) {
        this.promise = promise;
    }

    /** The devices that a claim of this status would have been given, as {@link ClaimRules#promise}. */
    @FunctionalInterface
    public interface Promise {

        /** The devices, or why they cannot be told. */
        Outcome<List<PreparedGroup>> of(ClaimUid uid, ClaimStatus status);
    }

    /**
     * The ledger to go on with. A prepared claim without its spec was perhaps unprepared: it counts as begun, so that the
     * sweep, a prepare or an unprepare decides. A claim that was begun, or aborted, and has a spec was perhaps answered:
     * it counts as prepared.
     *
     * @param specs the claims that have a CDI spec of ours
     */
    public Verdict plan(Ledger backup, Set<ClaimUid> specs) {
        Ledger ledger = backup;
        var held = new TreeSet<ClaimUid>();
        var undecided = new TreeMap<ClaimUid, Refusal>();
        for (ClaimEntry entry : backup.entries().values()) {
            boolean spec = specs.contains(entry.uid());
            switch (entry) {
                case ClaimEntry.Completed completed -> {
                    if (!spec) {
                        ledger = ledger.with(
                                new ClaimEntry.Started(completed.uid(), completed.name(), completed.status()));
                    }
                }
                case ClaimEntry.Started _, ClaimEntry.Aborted _ -> {
                    if (spec) {
                        switch (promise.of(entry.uid(), entry.status())) {
                            case Outcome.Refused<List<PreparedGroup>>(Refusal reason) ->
                                undecided.put(entry.uid(), reason);
                            case Outcome.Accepted<List<PreparedGroup>>(List<PreparedGroup> groups) -> {
                                held.add(entry.uid());
                                ledger = ledger.with(
                                        new ClaimEntry.Completed(entry.uid(), entry.name(), entry.status(), groups));
                            }
                        }
                    }
                }
            }
        }
        return undecided.isEmpty() ? new Verdict.Settled(ledger, held) : new Verdict.Undecided(undecided);
    }

    /** What the backup is worth. */
    public sealed interface Verdict {

        /**
         * Claims can be served with it.
         *
         * @param ledger the ledger
         * @param held the claims that count as prepared since they have a spec
         */
        record Settled(Ledger ledger, SortedSet<ClaimUid> held) implements Verdict {}

        /**
         * Claims have a spec, and their entries do not tell what they were given.
         *
         * @param claims each of them, with what is wrong with its entry
         */
        record Undecided(SortedMap<ClaimUid, Refusal> claims) implements Verdict {}
    }
}
