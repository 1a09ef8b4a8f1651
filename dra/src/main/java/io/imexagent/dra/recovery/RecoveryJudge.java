package io.imexagent.dra.recovery;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimTerms;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.recovery.MissingRecord.RebuildPlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Decides at start what becomes of the claims that are there, by checkpoint, CDI specs, boot and mode, and changes
 * nothing. What begun claims were to be given, {@link ClaimRules#promise} says.
 */
public record RecoveryJudge(
        CdiDirectory specs,
        ClaimGuard guard,
        BiFunction<ClaimUid, ClaimStatus, Outcome<List<PreparedGroup>>> promise,
        ClaimTerms words) {

    private static final SortedSet<ClaimUid> NONE = Collections.emptySortedSet();

    /** Judges a checkpoint, with the claims that have a CDI spec and their mode. An unknown boot voids nothing. */
    public RecoveryVerdict judge(LoadOutcome found, SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException {
        return switch (found) {
            case LoadOutcome.LoadedCheckpoint loaded -> guarded(loaded.ledger(), boot, NONE);
            case LoadOutcome.NoCheckpoint _ -> guarded(Ledger.empty(Optional.empty()), boot, NONE);
            case LoadOutcome.RecoveredFromBackup backup -> fromBackup(backup, present, boot);
            case LoadOutcome.UnreadableCheckpoint unreadable ->
                present.isEmpty()
                        ? guarded(Ledger.empty(Optional.empty()), boot, NONE)
                        : lost(
                                "no generation of the checkpoint can be read, and containers may hold the "
                                        + words.devices() + " of these CDI specs:",
                                names(present),
                                unreadable.reasons());
        };
    }

    /** Judges claims that were taken over without a checkpoint; the doubts name the specs that could not be. */
    public RecoveryVerdict judge(RebuildPlan taken, Optional<BootId> boot) throws IOException {
        return taken.doubts().isEmpty()
                ? guarded(taken.ledger(), boot, NONE)
                : lost(
                        "the checkpoint is missing, and nothing tells for sure whether containers hold the "
                                + words.devices() + " of these CDI specs:",
                        taken.doubts().stream(),
                        List.of(),
                        " Where the kubelet's record is missing or the API server does not answer: see that the kubelet runs,"
                                + " that kubelet.root is its root directory, and that the API server answers; the"
                                + " next start asks again.");
    }

    /**
     * A backup may be a change behind, or ahead of what was ever answered. Specs tell what that change may have been,
     * since a prepare writes the spec before the entry, and an unprepare removes it first. Where more is lost, since another driver wrote in
     * between, they tell of claims that the backup does not know, which must not be taken for orphans.
     */
    private RecoveryVerdict fromBackup(
            LoadOutcome.RecoveredFromBackup backup, SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException {
        if (backup.ledger().isOfEarlierBoot(boot)) {
            return guarded(backup.ledger(), boot, NONE);
        }
        var unknown = new TreeSet<>(present);
        unknown.removeAll(backup.ledger().entries().keySet());
        if (!unknown.isEmpty()) {
            return lost(
                    "the checkpoint cannot be read, its backup is too old: it does not know the claims of these CDI"
                            + " specs, whose " + words.devices() + " containers may hold:",
                    names(unknown),
                    List.of(backup.reason()));
        }
        Ledger ledger = backup.ledger();
        var held = new TreeSet<ClaimUid>();
        var undecided = new ArrayList<String>();
        for (ClaimEntry entry : backup.ledger().entries().values()) {
            switch (likely(entry, present.contains(entry.uid()))) {
                case Outcome.Refused<ClaimEntry>(Refusal reason) ->
                    undecided.add(specs.file(entry.uid()) + ": " + reason.message());
                case Outcome.Accepted<ClaimEntry>(ClaimEntry likely) -> {
                    ledger = ledger.with(likely);
                    if (likely instanceof ClaimEntry.Completed && !likely.equals(entry)) {
                        held.add(entry.uid());
                    }
                }
            }
        }
        return undecided.isEmpty()
                ? guarded(ledger, boot, held)
                : lost(
                        "the checkpoint cannot be read, and its backup does not tell what the claims of these CDI"
                                + " specs were given, whose " + words.devices() + " containers may hold:",
                        undecided.stream(),
                        List.of(backup.reason()));
    }

    /**
     * What is to be made of an entry: in doubt a claim holds its devices. A prepared claim without its spec was perhaps
     * unprepared, and counts as begun, so that the sweep, a prepare or an unprepare decides; one whose devices give
     * containers nothing never had a spec, and stays. One that was begun, or aborted, and has a spec was perhaps answered,
     * and counts as prepared.
     */
    private Outcome<ClaimEntry> likely(ClaimEntry entry, boolean spec) {
        return switch (entry) {
            case ClaimEntry.Completed it
            when !spec && it.devices().stream().anyMatch(PreparedDevice::reachesContainers) ->
                Outcome.accepted(new ClaimEntry.Started(it.uid(), it.name(), it.status()));
            case ClaimEntry.Started _, ClaimEntry.Aborted _
            when spec ->
                promise.apply(entry.uid(), entry.status())
                        .map(groups -> new ClaimEntry.Completed(entry.uid(), entry.name(), entry.status(), groups));
            case ClaimEntry.Completed _, ClaimEntry.Started _, ClaimEntry.Aborted _ -> Outcome.accepted(entry);
        };
    }

    private RecoveryVerdict lost(String reason, Stream<String> details, List<String> broken) {
        return lost(reason, details, broken, "");
    }

    private RecoveryVerdict lost(String reason, Stream<String> details, List<String> broken, String hint) {
        var objection = new Objection(
                reason,
                Stream.concat(details, broken.stream()).toList(),
                "delete the pods of its " + words.workloads()
                        + " from this node (" + Objection.DRAIN
                        + " --force --timeout=60s; it ends with a timeout, since they stay"
                        + " Terminating while the agent is down). When their containers have ended (crictl ps), delete"
                        + " these CDI specs and start imex-agent: the pods go. Then kubectl uncordon NODE. A reboot of the"
                        + " drained node deletes specs that are on tmpfs, too." + hint);
        return new RecoveryVerdict.Refuse(objection, true);
    }

    private RecoveryVerdict guarded(Ledger ledger, Optional<BootId> boot, SortedSet<ClaimUid> held) throws IOException {
        var serve = new RecoveryVerdict.Serve(ledger, ledger.isOfEarlierBoot(boot), held);
        return guard.objection(serve.valid())
                .<RecoveryVerdict>map(objection -> new RecoveryVerdict.Refuse(objection, false))
                .orElse(serve);
    }

    private Stream<String> names(SortedSet<ClaimUid> claims) {
        return claims.stream().map(claim -> specs.file(claim).toString());
    }

    /** Whether the claims of the agent's last life can be served, and with which ledger. */
    public sealed interface RecoveryVerdict {

        /** They can, with this ledger, void after a reboot; {@code held} claims count as prepared by their CDI specs. */
        record Serve(Ledger ledger, boolean rebooted, SortedSet<ClaimUid> held) implements RecoveryVerdict {

            public Serve {
                held = Collections.unmodifiableSortedSet(new TreeSet<>(held));
            }

            /** The claims that are prepared: none after a reboot. */
            public Ledger valid() {
                return rebooted ? Ledger.empty(ledger.bootId()) : ledger;
            }
        }

        /** They cannot; {@code lost} where the checkpoint does not tell what containers may hold. */
        record Refuse(Objection objection, boolean lost) implements RecoveryVerdict {}
    }
}
