package io.imexagent.imex.check;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.dra.recovery.RecordCheck;
import io.imexagent.dra.recovery.RecordCheck.Judged;
import io.imexagent.dra.recovery.RecoveryJudge;
import io.imexagent.dra.recovery.RecoveryJudge.RecoveryVerdict;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.ServingPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Whether an agent that starts now would serve the existing claims, as its own recovery decides. {@code state} is the
 * folder of the agent's own files, {@code missing} decides if the checkpoint is missing, and with an unknown boot no
 * claim is void. Changes nothing.
 */
public record CheckpointChecks(
        Path plugin, Path state, ServingPolicy policy, MissingRecord missing, Optional<BootId> boot) {

    static final String CHECKPOINT = "checkpoint";
    static final String MODE = "mode";

    /** Reads the files, and queries the API server only if the checkpoint is missing. Blocking. */
    public List<CheckResult> run() throws InterruptedException {
        try {
            var judge = new RecoveryJudge(
                    missing.specs(),
                    new ModeGuard(new ModeFile(state), ServingMode.of(policy.isolation())),
                    (uid, status) -> ChannelRules.promise(policy, uid, status),
                    ChannelRules.WORDS);
            Judged judged =
                    new RecordCheck(CHECKPOINT, plugin, CheckpointFormat.PUBLIC_DRIVER, judge, missing).judged(boot);
            return switch (judged.verdict()) {
                case RecoveryVerdict.Refuse(Objection why, boolean lost) -> refused(judged, why, lost);
                case RecoveryVerdict.Serve serve ->
                    judged.isMissing() && serve.valid().entries().isEmpty()
                            ? List.of(judged.record())
                            : List.of(judged.record(), mode(serve.valid()));
            };
        } catch (IOException failure) {
            return List.of(critical(
                    CHECKPOINT,
                    "the prepared claims cannot be read: " + failure.getMessage(),
                    "run as root; check the disk"));
        }
    }

    /**
     * The results for a refused start. If the checkpoint is lost or missing, only the refusal: a report of claims that
     * a start takes over would mislead.
     */
    private static List<CheckResult> refused(Judged judged, Objection why, boolean lost) {
        CheckResult refusal = RecordCheck.refused(lost ? CHECKPOINT : MODE, why);
        return lost || judged.isMissing() ? List.of(refusal) : List.of(judged.record(), refusal);
    }

    /** Checks the mode of claims to which the guard does not object. */
    private CheckResult mode(Ledger ledger) throws IOException {
        Optional<ServingMode> prepared = ServingMode.infer(ledger);
        ServingMode configured = ServingMode.of(policy.isolation());
        if (prepared.isPresent() && prepared.get() != configured) {
            return warning(
                    MODE,
                    "claims are prepared as " + prepared.get().text() + ", configured is " + configured.text()
                            + "; imex-agent run --force has accepted them",
                    "drain their workloads: until then pods may share a channel that they were not meant to share,"
                            + " or wait for a daemon that does not run");
        }
        if (new ModeFile(state).read() instanceof ModeFile.RecordedMode.ModeUnreadable unreadable) {
            return warning(
                    MODE,
                    unreadable.reason(),
                    "nothing: the agent goes by the claims, which fit, and rewrites the file at its start");
        }
        return ok(
                MODE,
                prepared.map(mode -> "the prepared claims fit the configuration: " + mode.text())
                        .orElse("no claim is prepared, any mode may be configured"));
    }
}
