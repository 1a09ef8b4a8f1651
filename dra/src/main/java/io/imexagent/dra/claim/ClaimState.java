package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What the claim itself says to a prepare, before anybody asks what it is for. The same for each driver. Pure. */
public sealed interface ClaimState {

    /** How long an aborted claim keeps a belated prepare out: twice the kubelet's deadline for a call. */
    Duration ABORTED_FOR = Duration.ofSeconds(2 * 45);

    /**
     * It is there, it is the one that the kubelet means, and nobody has just unprepared it.
     *
     * @param status its status
     */
    record Sound(ClaimStatus status) implements ClaimState {}

    /**
     * It cannot be prepared.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements ClaimState {}

    /**
     * The answer that already stands in the ledger, whatever Kubernetes says: a prepared claim is prepared once.
     *
     * @param grant the effects that make a prepared claim usable; they change nothing unless somebody removed or bent what
     *     they made
     */
    static Optional<PrepareOutcome.Ready> answered(
            ClaimRef ref, Ledger ledger, Function<ClaimEntry.Completed, List<Effect>> grant) {
        return ledger.entry(ref.uid()).flatMap(entry -> switch (entry) {
            case ClaimEntry.Completed completed
            when completed.name().isEmpty() || completed.name().get().equals(ref.name()) ->
                Optional.of(new PrepareOutcome.Ready(completed, grant.apply(completed)));
            case ClaimEntry.Completed renamed -> Optional.empty();
            case ClaimEntry.Started started -> Optional.empty();
            case ClaimEntry.Aborted aborted -> Optional.empty();
        });
    }

    /** The state of the claim of these facts at this time. */
    static ClaimState of(ClaimFacts facts, Ledger ledger, Instant now) {
        return switch (facts.claim()) {
            case ClaimFacts.ClaimLookup.Found found -> unlessAborted(facts, found.status(), ledger, now);
            case ClaimFacts.ClaimLookup.Missing missing ->
                refused(
                        RefusalCode.CLAIM_NOT_FOUND,
                        "ResourceClaim " + facts.ref().name() + " does not exist; its pod is probably gone too");
            case ClaimFacts.ClaimLookup.Replaced replaced ->
                refused(
                        RefusalCode.CLAIM_REPLACED,
                        "claim " + facts.ref().name() + " got replaced: the kubelet asks for UID "
                                + facts.ref().uid() + ", the cluster has " + replaced.uid()
                                + "; the pod must be made anew");
            case ClaimFacts.ClaimLookup.Unreadable unreadable ->
                refused(
                        RefusalCode.CLAIM_UNREADABLE,
                        "claim " + facts.ref().name() + " could not be understood: " + unreadable.reason()
                                + "; the cluster's API may be newer than the agent");
            case ClaimFacts.ClaimLookup.Failed failed -> refused(RefusalCode.API_UNAVAILABLE, failed.reason());
        };
    }

    private static ClaimState unlessAborted(ClaimFacts facts, ClaimStatus status, Ledger ledger, Instant now) {
        boolean aborted = ledger.entry(facts.ref().uid()).orElse(null) instanceof ClaimEntry.Aborted entry
                && entry.status().equals(status)
                && !expired(entry, now);
        return aborted
                ? refused(
                        RefusalCode.PREPARE_ABORTED,
                        "claim " + facts.ref().name() + " was unprepared a moment ago, before its prepare had ended; a"
                                + " belated prepare of the same claim is refused for "
                                + ABORTED_FOR.toSeconds() + " s")
                : new Sound(status);
    }

    /** Whether the aborted entry has done its work. An entry from the future is a clock that jumped: it has too. */
    static boolean expired(ClaimEntry.Aborted aborted, Instant now) {
        return Duration.between(aborted.at(), now).abs().compareTo(ABORTED_FOR) >= 0;
    }

    private static ClaimState refused(RefusalCode code, String message) {
        return new Refused(new Refusal(code, message));
    }
}
