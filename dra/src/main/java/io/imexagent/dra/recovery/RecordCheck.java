package io.imexagent.dra.recovery;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.recovery.MissingRecord.LeftOut;
import io.imexagent.dra.recovery.MissingRecord.RebuildPlan;
import io.imexagent.dra.recovery.RecoveryJudge.RecoveryVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What a start would make of a driver's record of claims, by the judgements of the start itself. The record is in the
 * plugin's folder. Changes nothing.
 */
public record RecordCheck(String id, Path plugin, CheckpointFormat format, RecoveryJudge judge, MissingRecord missing) {

    /** What the start would decide, and what is to be said of the record, which may be missing, where it goes on with it. */
    public record Judged(RecoveryVerdict verdict, CheckResult record, boolean isMissing) {}

    /** Judges as a start does; where the record is missing, the API server is asked. Blocking. */
    public Judged judged(Optional<BootId> boot) throws IOException, InterruptedException {
        LoadOutcome found = FileCheckpointStore.inspect(plugin, format);
        SortedSet<ClaimUid> present = judge.specs().list();
        if (found instanceof LoadOutcome.NoCheckpoint) {
            RebuildPlan taken = missing.decide(present, boot);
            return new Judged(judge.judge(taken, boot), missing(taken, present), true);
        }
        RecoveryVerdict verdict = judge.judge(found, present, boot);
        return new Judged(
                verdict, check(found, verdict instanceof RecoveryVerdict.Serve serve && serve.rebooted()), false);
    }

    private Path file() {
        return plugin.resolve(format.fileName());
    }

    private CheckResult missing(RebuildPlan taken, SortedSet<ClaimUid> present) {
        var lines = new ArrayList<String>();
        if (!taken.ledger().entries().isEmpty()) {
            lines.add("takes over from the kubelet's record, the CDI specs and the API server the claims "
                    + taken.ledger().entries().keySet());
        }
        SortedSet<ClaimUid> orphans = taken.orphans(present);
        if (!orphans.isEmpty()) {
            lines.add("removes the CDI specs of the claims " + orphans
                    + ", which are older than the boot or which nobody knows");
        }
        for (LeftOut claim : taken.leftOut()) {
            lines.add("leaves out claim " + claim.name() + " uid=" + claim.uid()
                    + " of the kubelet's record, which has no CDI spec: " + claim.reason());
        }
        return lines.isEmpty()
                ? CheckResult.ok(id, file() + " does not exist yet")
                : CheckResult.warning(
                        id,
                        file() + " is missing; the start " + String.join("; ", lines),
                        "nothing, where that is as it should be: the agent does it at its start");
    }

    private CheckResult check(LoadOutcome found, boolean rebooted) {
        return switch (found) {
            case LoadOutcome.NoCheckpoint _ -> CheckResult.ok(id, file() + " does not exist yet");
            case LoadOutcome.LoadedCheckpoint loaded -> {
                int claims = loaded.ledger().entries().size();
                yield CheckResult.ok(
                        id,
                        file() + " holds " + claims + (claims == 1 ? " claim" : " claims")
                                + (rebooted ? " of an earlier boot, void since the reboot" : ""));
            }
            case LoadOutcome.RecoveredFromBackup backup ->
                CheckResult.warning(
                        id,
                        backup.reason(),
                        "nothing: the agent uses the backup at its start, and moves a broken file aside");
            case LoadOutcome.UnreadableCheckpoint unreadable ->
                CheckResult.warning(
                        id,
                        String.join("; ", unreadable.reasons()) + "; no CDI spec is there, so no container holds "
                                + judge.words().device(),
                        "nothing: the agent moves the broken files aside at its start, and begins without claims");
        };
    }

    /** Of claims for which an agent refuses to start. */
    public static CheckResult refused(String id, Objection objection) {
        return CheckResult.critical(id, objection.line(), objection.wayOut());
    }
}
