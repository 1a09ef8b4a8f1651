package io.imexagent.agent.check;

import static io.imexagent.agent.check.CheckResult.failure;
import static io.imexagent.agent.check.CheckResult.ok;
import static io.imexagent.agent.check.CheckResult.warning;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.prepare.ClaimGuard;
import io.imexagent.agent.prepare.ClaimWords;
import io.imexagent.agent.prepare.LeftRails;
import io.imexagent.agent.prepare.Objection;
import io.imexagent.agent.prepare.RecoveryJudge;
import io.imexagent.agent.prepare.RecoveryVerdict;
import io.imexagent.agent.rails.RailRules;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.prepare.BackupPlanner;
import io.imexagent.rdma.dra.RailDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The claims for RDMA NICs that are there: whether an agent that starts now serves them, as its own recovery decides, or
 * may leave them. Nothing is moved or mended.
 */
final class RailRecordCheck {

    private static final String ID = "rdma-record";

    private final AgentConfig config;
    private final Path plugin;
    private final Optional<BootId> boot;

    /**
     * Looks at the claims of a node.
     *
     * @param boot the running boot; an unknown one voids nothing
     */
    RailRecordCheck(AgentConfig config, Optional<BootId> boot) {
        this.config = config;
        this.plugin = config.kubelet().root().resolve("plugins").resolve(RailDriver.NAME);
        this.boot = boot;
    }

    /** What an agent finds that serves RDMA NICs. */
    CheckResult serving() {
        var specs = new CdiDirectory(
                config.cdi().directory(), CdiKind.parse(RailDriver.CDI_KIND).orElseThrow());
        var judge = new RecoveryJudge(
                specs,
                ClaimGuard.NONE,
                new BackupPlanner(RailRules.promise(config.node().name())),
                ClaimWords.RAILS);
        try {
            LoadOutcome found = FileCheckpointStore.look(plugin, CheckpointFormat.RAILS);
            return switch (judge.judge(found, specs.list(), boot)) {
                case RecoveryVerdict.Lost lost -> refused(lost.objection());
                case RecoveryVerdict.Objected objected -> refused(objected.objection());
                case RecoveryVerdict.Serve serve -> told(found, serve.rebooted());
            };
        } catch (IOException failure) {
            return failure(
                    ID,
                    "the claims for RDMA NICs that are there cannot be looked at: " + failure.getMessage(),
                    "run as root; check the disk");
        }
    }

    /** What an agent leaves behind that serves none; empty where there is nothing. */
    Optional<CheckResult> left() {
        return new LeftRails(file()).objection(boot).map(RailRecordCheck::refused);
    }

    private CheckResult told(LoadOutcome found, boolean rebooted) {
        return switch (found) {
            case LoadOutcome.Fresh fresh -> ok(ID, file() + " does not exist yet");
            case LoadOutcome.Loaded loaded -> {
                int claims = loaded.ledger().entries().size();
                yield ok(
                        ID,
                        file() + " holds " + claims + (claims == 1 ? " claim" : " claims")
                                + (rebooted ? " of an earlier boot: what it holds is void" : ""));
            }
            case LoadOutcome.RecoveredFromBackup backup ->
                warning(
                        ID,
                        backup.reason(),
                        "nothing: the agent uses the backup at its start, and moves a broken file aside");
            case LoadOutcome.Unreadable unreadable ->
                warning(
                        ID,
                        String.join("; ", unreadable.reasons())
                                + "; no CDI spec is there, so no container holds an RDMA" + " NIC",
                        "nothing: the agent moves the broken files aside at its start, and begins without claims");
        };
    }

    private Path file() {
        return plugin.resolve(CheckpointFormat.RAILS.fileName());
    }

    private static CheckResult refused(Objection objection) {
        return failure(ID, objection.line(), objection.wayOut());
    }
}
