package io.imexagent.rdma.report;

import static io.imexagent.core.check.CheckResult.critical;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.ledger.BootId;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.dra.recovery.RecordCheck;
import io.imexagent.dra.recovery.RecordCheck.Judged;
import io.imexagent.dra.recovery.RecoveryJudge;
import io.imexagent.dra.recovery.RecoveryJudge.RecoveryVerdict;
import io.imexagent.rdma.rails.RailPlanner;
import io.imexagent.rdma.rails.RailRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether an agent that starts now serves the claims for RDMA NICs, as its own recovery decides. The record is in the
 * plugin's folder; the pool is the node's name; without a known boot, no claim is void. Changes nothing.
 */
public record RailRecordCheck(Path plugin, String pool, Optional<BootId> boot) {

    private static final Logger LOG = LoggerFactory.getLogger(RailRecordCheck.class);
    private static final String ID = "rdma-record";

    private Path file() {
        return plugin.resolve(RailRules.RECORD.fileName());
    }

    /** The result for an agent that serves RDMA NICs; {@code missing} decides about a missing record. Blocking. */
    public CheckResult serving(MissingRecord missing) throws InterruptedException {
        var judge = new RecoveryJudge(
                missing.specs(),
                ClaimGuard.NONE,
                (uid, status) -> RailPlanner.promise(pool, uid, status),
                RailRules.WORDS);
        try {
            Judged judged = new RecordCheck(ID, plugin, RailRules.RECORD, judge, missing).judged(boot);
            return switch (judged.verdict()) {
                case RecoveryVerdict.Refuse refuse -> RecordCheck.refused(ID, refuse.objection());
                case RecoveryVerdict.Serve _ -> judged.record();
            };
        } catch (IOException failure) {
            return critical(
                    ID,
                    "the prepared claims for RDMA NICs cannot be read: " + failure.getMessage(),
                    "run as root; check the disk");
        }
    }

    /** The claims that an agent which serves no RDMA NICs would leave behind; empty if there are none. */
    public Optional<CheckResult> left() {
        return objection(file(), boot).map(objection -> RecordCheck.refused(ID, objection));
    }

    /**
     * Why RDMA must not be switched off: claims of this boot would never be unprepared. An unreadable record is not a
     * reason.
     */
    public static Optional<Objection> objection(Path file, Optional<BootId> boot) {
        try {
            return CheckpointReader.prepared(file, RailRules.RECORD, boot)
                    .map(left -> new Objection(
                            "claims for RDMA NICs are prepared on this node, and rdma.enabled is off now: they would"
                                    + " never end, and their pods would stay Terminating.",
                            Objection.claims(left),
                            "set rdma.enabled back to true and start imex-agent; cordon the node and drain its workloads"
                                    + " with RDMA NICs (" + Objection.DRAIN
                                    + "); then switch it off. A reboot of the drained node"
                                    + " voids its claims as well. imex-agent run --force starts all the same."));
        } catch (IOException failure) {
            LOG.warn(
                    "cannot tell whether claims remain from when rdma.enabled was on reason=\"{}\"",
                    failure.getMessage());
            return Optional.empty();
        }
    }
}
