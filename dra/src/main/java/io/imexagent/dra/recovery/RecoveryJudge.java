package io.imexagent.dra.recovery;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Objection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Decides at start what becomes of the claims that are there, by checkpoint, CDI specs, boot and mode. Changes nothing: a
 * {@link Recovery} does what is decided, and a check tells it beforehand.
 */
public final class RecoveryJudge {

    private final Function<ClaimUid, Path> files;
    private final ClaimGuard guard;
    private final BackupPlanner backups;
    private final ClaimWords words;

    /**
     * A judge.
     *
     * @param specs names the files of CDI specs
     * @param guard judges the mode of claims
     * @param promise tells what begun claims were to be given
     * @param words how people are told what the claims hold
     */
    public RecoveryJudge(CdiDirectory specs, ClaimGuard guard, BackupPlanner.Promise promise, ClaimWords words) {
        this.files = specs::file;
        this.guard = guard;
        this.backups = new BackupPlanner(promise);
        this.words = words;
    }

    /**
     * Judges.
     *
     * @param found what became of the checkpoint
     * @param present the claims that have a CDI spec
     * @param boot the running boot; an unknown one voids nothing
     * @throws IOException where the mode under which claims were prepared cannot be read
     */
    public RecoveryVerdict judge(LoadOutcome found, SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException {
        return switch (found) {
            case LoadOutcome.Loaded loaded -> guarded(loaded.ledger(), boot, Collections.emptySortedSet());
            case LoadOutcome.Fresh fresh -> nothing(boot);
            case LoadOutcome.RecoveredFromBackup backup -> fromBackup(backup, present, boot);
            case LoadOutcome.Unreadable unreadable ->
                present.isEmpty()
                        ? nothing(boot)
                        : lost(
                                "no generation of the checkpoint can be read, and containers may hold the "
                                        + words.devices() + " of these CDI specs:",
                                names(present),
                                unreadable.reasons());
        };
    }

    private RecoveryVerdict nothing(Optional<BootId> boot) throws IOException {
        return guarded(Ledger.empty(Optional.empty()), boot, Collections.emptySortedSet());
    }

    private RecoveryVerdict lost(String reason, Stream<String> details, List<String> broken) {
        return new RecoveryVerdict.Lost(new Objection(
                reason,
                Stream.concat(details, broken.stream()).toList(),
                "cordon this node and drain its " + words.workloads() + " (kubectl drain), delete these CDI specs, and"
                        + " start imex-agent again. A reboot of the drained node does the same."));
    }

    /**
     * At least the last change is lost; specs tell what it may have been. Where more is lost, since another driver wrote
     * in between, they tell of claims that the backup does not know, which must not be taken for orphans.
     */
    private RecoveryVerdict fromBackup(
            LoadOutcome.RecoveredFromBackup backup, SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException {
        if (backup.ledger().isOfEarlierBoot(boot)) {
            return guarded(backup.ledger(), boot, Collections.emptySortedSet());
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
        return switch (backups.plan(backup.ledger(), present)) {
            case BackupPlanner.Verdict.Undecided undecided ->
                lost(
                        "the checkpoint cannot be read, and its backup does not tell what the claims of these CDI"
                                + " specs were given, whose " + words.devices() + " containers may hold:",
                        undecided.claims().entrySet().stream()
                                .map(claim -> files.apply(claim.getKey()) + ": "
                                        + claim.getValue().message()),
                        List.of(backup.reason()));
            case BackupPlanner.Verdict.Settled settled -> guarded(settled.ledger(), boot, settled.held());
        };
    }

    private RecoveryVerdict guarded(Ledger ledger, Optional<BootId> boot, SortedSet<ClaimUid> held) throws IOException {
        var serve = new RecoveryVerdict.Serve(ledger, ledger.isOfEarlierBoot(boot), held);
        return guard.objection(serve.valid())
                .<RecoveryVerdict>map(RecoveryVerdict.Objected::new)
                .orElse(serve);
    }

    private Stream<String> names(SortedSet<ClaimUid> claims) {
        return claims.stream().map(claim -> files.apply(claim).toString());
    }
}
