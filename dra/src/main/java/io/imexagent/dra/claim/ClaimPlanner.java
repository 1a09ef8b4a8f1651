package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Plans the prepare of a claim, in the parts that all drivers share: (claim, ledger, time) → effects. Pure. */
public record ClaimPlanner<D>(ClaimRules<D> rules) {

    /** How long an aborted entry refuses a late prepare: twice the kubelet's deadline for a call. */
    public static final Duration ABORTED_FOR = Duration.ofSeconds(2 * 45);

    /**
     * The entry that answers the claim. It counts whatever the API server reports, since a claim is prepared only once.
     */
    public static Optional<ClaimEntry.Completed> prepared(ClaimRef ref, Ledger ledger) {
        return ledger.entry(ref.uid()).orElse(null) instanceof ClaimEntry.Completed entry
                        && (entry.name().isEmpty() || entry.name().get().equals(ref.name()))
                ? Optional.of(entry)
                : Optional.empty();
    }

    /**
     * The plan of a prepared claim: its CDI spec is written again, which has an effect only if the spec was changed.
     */
    public Optional<PreparePlan> answered(ClaimRef ref, Ledger ledger) {
        return prepared(ref, ledger).map(entry -> new PreparePlan(entry, Optional.empty(), rules.spec(entry)));
    }

    /** The refusal of a claim that was unprepared a moment ago; empty for other claims. */
    public static Optional<Refusal> aborted(ClaimRef ref, ClaimStatus status, Ledger ledger, Instant now) {
        return ledger.entry(ref.uid()).orElse(null) instanceof ClaimEntry.Aborted entry
                        && entry.status().isSameVersion(status)
                        && !expired(entry, now)
                ? Optional.of(new Refusal(
                        RefusalCode.PREPARE_ABORTED,
                        "claim " + ref.name() + " was unprepared a moment ago, before its prepare had ended; a"
                                + " belated prepare of the same claim is refused for " + ABORTED_FOR.toSeconds()
                                + " s"))
                : Optional.empty();
    }

    /**
     * Whether the aborted entry has expired. An entry with a time in the future has too, since the clock was changed.
     */
    public static boolean expired(ClaimEntry.Aborted aborted, Instant now) {
        return Duration.between(aborted.at(), now).abs().compareTo(ABORTED_FOR) >= 0;
    }

    public Outcome<PreparePlan> plan(ClaimDemand<D> claim, Ledger ledger, Instant now) {
        return answered(claim.ref(), ledger)
                .map(Outcome::accepted)
                .or(() -> aborted(claim.ref(), claim.status(), ledger, now).map(Outcome::refused))
                .orElseGet(() -> rules.plan(claim.ref(), claim.demand(), ledger).map(grant -> of(claim, grant)));
    }

    /**
     * The effects that remove the entry's claim, from local state alone. The CDI spec is removed first: after a crash
     * in between, the entry is left, and the kubelet calls again. A claim whose prepare never ended leaves an aborted
     * entry.
     */
    public static List<Effect> unprepare(ClaimEntry entry, Instant now) {
        var spec = new Effect.RemoveCdi(entry.uid());
        return switch (entry) {
            case ClaimEntry.Completed _ -> List.of(spec, new Effect.ForgetEntry(entry.uid()));
            case ClaimEntry.Started(var uid, var name, var status) ->
                List.of(spec, new Effect.RecordEntry(new ClaimEntry.Aborted(uid, name, status, now)));
            case ClaimEntry.Aborted _ -> List.of();
        };
    }

    /**
     * The spec is written before the entry that promises it. A crash in between leaves a spec without an entry, which
     * the next start removes; no container has it, since the kubelet got no answer.
     */
    private PreparePlan of(ClaimDemand<?> claim, Grant grant) {
        ClaimRef ref = claim.ref();
        var completed = new ClaimEntry.Completed(
                ref.uid(), Optional.of(ref.name()), claim.status().ofDriver(rules.driverName()), grant.groups());
        var record = new Effect.RecordEntry(completed);
        return new PreparePlan(
                completed,
                Optional.of(grant),
                grant.reachesContainers()
                        ? List.of(new Effect.WriteCdi(ref.uid(), grant.edits()), record)
                        : List.of(record));
    }

    /**
     * The plan of a prepare. Once its effects have run, in order, the entry holds the answer to the kubelet. The grant
     * is empty if the claim is prepared already.
     */
    public record PreparePlan(ClaimEntry.Completed entry, Optional<Grant> grant, List<Effect> effects) {

        public PreparePlan {
            effects = List.copyOf(effects);
        }
    }
}
