package io.imexagent.dra.recovery;

import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Objection;
import java.nio.file.Path;
import java.util.Set;

/** What there is to say of a driver's record of claims. */
public record RecordCheck(String id, Path file, ClaimWords words) {

    /** Of a record that an agent that starts now goes on with. */
    public CheckResult told(LoadOutcome found, boolean rebooted, Set<ClaimUid> specs) {
        return switch (found) {
            case LoadOutcome.Fresh fresh ->
                specs.isEmpty()
                        ? CheckResult.ok(id, file + " does not exist yet")
                        : CheckResult.warning(
                                id,
                                file + " is missing, and there are CDI specs of claims " + specs,
                                "nothing: the agent compares them at its start with the kubelet's record and the API"
                                        + " server; what is in doubt then, its refusal names with the way out");
            case LoadOutcome.Loaded loaded -> {
                int claims = loaded.ledger().entries().size();
                yield CheckResult.ok(
                        id,
                        file + " holds " + claims + (claims == 1 ? " claim" : " claims")
                                + (rebooted ? " of an earlier boot, void since the reboot" : ""));
            }
            case LoadOutcome.RecoveredFromBackup backup ->
                CheckResult.warning(
                        id,
                        backup.reason(),
                        "nothing: the agent uses the backup at its start, and moves a broken file aside");
            case LoadOutcome.Unreadable unreadable ->
                CheckResult.warning(
                        id,
                        String.join("; ", unreadable.reasons()) + "; no CDI spec is there, so no container holds "
                                + words.device(),
                        "nothing: the agent moves the broken files aside at its start, and begins without claims");
        };
    }

    /** Of claims for which an agent refuses to start. */
    public static CheckResult refused(String id, Objection objection) {
        return CheckResult.failure(id, objection.line(), objection.wayOut());
    }
}
