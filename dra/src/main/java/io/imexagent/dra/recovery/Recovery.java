package io.imexagent.dra.recovery;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.recovery.MissingRecord.RebuildPlan;
import io.imexagent.dra.recovery.RecoveryJudge.RecoveryVerdict;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the claims at start: loads the checkpoint, voids what a reboot voided, and brings ledger and CDI specs
 * together. It can be broken off anywhere and done again, and takes no lock where nothing has to be written. The plugin
 * directory is made where it is missing; {@code spec} is {@link ClaimRules#spec}.
 */
public record Recovery(
        PreparedClaims claims,
        FileCheckpointStore store,
        RecoveryJudge judge,
        MissingRecord missing,
        Path pluginDirectory,
        Function<ClaimEntry.Completed, List<Effect>> spec) {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /**
     * Recovers once, before the first claim, and waits for the lock. An unknown boot voids nothing. Failures name a
     * remedy.
     */
    public RecoveryResult run(Optional<BootId> boot) throws IOException, InterruptedException {
        new DurableFiles(FileSteps.ALL_PASS, "").createDirectory(pluginDirectory);
        Optional<RecoveryResult> settled = settled(boot);
        if (settled.isPresent()) {
            return settled.get();
        }
        // Before the lock, which nobody holds while an API server is asked.
        Optional<RebuildPlan> taken =
                store.isMissing() ? Optional.of(missing.decide(judge.specs().list(), boot)) : Optional.empty();
        taken.ifPresent(decision -> decision.leftOut()
                .forEach(claim -> LOG.warn(
                        "claim of the kubelet's record not taken over, it has no CDI spec claim={} uid={} reason=\"{}\"",
                        claim.name(),
                        claim.uid(),
                        claim.reason())));
        return claims.opening(session -> changing(session, taken, boot));
    }

    /**
     * Opens the claims without the lock, and so without waiting for its native library; empty where something may have
     * to be written. What another process writes meanwhile is noticed before the first change.
     */
    private Optional<RecoveryResult> settled(Optional<BootId> boot) throws IOException {
        claims.noteCheckpoint();
        Optional<Ledger> intact = store.intact();
        if (intact.isEmpty()
                || boot.isEmpty()
                || !intact.get().bootId().equals(boot)
                || !judge.guard().isRecorded()
                || judge.specs().hasTemporaries()) {
            return Optional.empty();
        }
        var found = new LoadOutcome.LoadedCheckpoint(intact.get(), Optional.empty());
        SortedSet<ClaimUid> present = judge.specs().list();
        return switch (judge.judge(found, present, boot)) {
            case RecoveryVerdict.Refuse refuse ->
                Optional.of(
                        new RecoveryResult.RecoveryRefused(refuse.objection().text()));
            case RecoveryVerdict.Serve serve -> {
                List<Effect> effects = plan(serve.ledger(), present, boot, spec);
                if (!claims.openSettled(serve.ledger(), effects)) {
                    yield Optional.empty();
                }
                log(serve, claims.ledger(), effects, boot);
                yield Optional.of(new RecoveryResult.RecoveryDone(claims.ledger(), false));
            }
        };
    }

    private RecoveryResult changing(
            PreparedClaims.LedgerTransaction session, Optional<RebuildPlan> decided, Optional<BootId> boot)
            throws IOException {
        List<Path> left = judge.specs().sweepTemporaries();
        if (!left.isEmpty()) {
            LOG.info("unfinished CDI specs removed files={}", left);
        }
        LoadOutcome found = store.load();
        log(found);
        Optional<RebuildPlan> taken = decided.filter(decision -> found instanceof LoadOutcome.NoCheckpoint);
        if (found instanceof LoadOutcome.NoCheckpoint && taken.isEmpty()) {
            throw new IOException(
                    store.file() + " was removed by another process during the start; start imex-agent again");
        }
        SortedSet<ClaimUid> present = new TreeSet<>(judge.specs().list());
        // What another process has written since is nobody's orphan.
        taken.ifPresent(decision -> present.retainAll(decision.inspected()));
        RecoveryVerdict verdict =
                taken.isPresent() ? judge.judge(taken.get(), boot) : judge.judge(found, present, boot);
        return switch (verdict) {
            case RecoveryVerdict.Refuse refuse ->
                new RecoveryResult.RecoveryRefused(refuse.objection().text());
            case RecoveryVerdict.Serve serve -> serve(session, found, taken, serve, present, boot);
        };
    }

    /**
     * The effects that bring files and ledger together: after a reboot every claim is forgotten; CDI specs without an
     * entry go; a prepared claim gets its spec right, once the node can tell it ({@link ClaimRules#spec}).
     */
    public static List<Effect> plan(
            Ledger ledger,
            Set<ClaimUid> specs,
            Optional<BootId> boot,
            Function<ClaimEntry.Completed, List<Effect>> spec) {
        boolean rebooted = ledger.isOfEarlierBoot(boot);
        var effects = new ArrayList<Effect>();
        specs.stream()
                .sorted()
                .filter(claim -> rebooted || ledger.entry(claim).isEmpty())
                .forEach(claim -> effects.add(new Effect.RemoveCdi(claim)));
        if (rebooted) {
            ledger.entries().keySet().forEach(claim -> effects.add(new Effect.ForgetEntry(claim)));
        } else {
            ledger.completed().forEach(entry -> effects.addAll(spec.apply(entry)));
        }
        return List.copyOf(effects);
    }

    private static void log(LoadOutcome found) {
        switch (found) {
            case LoadOutcome.LoadedCheckpoint loaded ->
                loaded.note().ifPresent(note -> LOG.info("checkpoint adopted note=\"{}\"", note));
            case LoadOutcome.RecoveredFromBackup backup ->
                LOG.warn(
                        "checkpoint taken from its backup reason=\"{}\" movedAside={}",
                        backup.reason(),
                        backup.movedAside().map(Object::toString).orElse("nothing"));
            case LoadOutcome.NoCheckpoint _, LoadOutcome.UnreadableCheckpoint _ -> {}
        }
    }

    private RecoveryResult serve(
            PreparedClaims.LedgerTransaction session,
            LoadOutcome found,
            Optional<RebuildPlan> taken,
            RecoveryVerdict.Serve serve,
            SortedSet<ClaimUid> present,
            Optional<BootId> boot)
            throws IOException {
        if (found instanceof LoadOutcome.UnreadableCheckpoint) {
            LOG.warn(
                    "no generation of the checkpoint can be read, and no CDI spec is there: starting without claims"
                            + " movedAside={}",
                    store.setAside());
        }
        if (!serve.held().isEmpty()) {
            LOG.warn(
                    "the older backup of the checkpoint lacks claims that have a CDI spec, they count as prepared"
                            + " claims={}",
                    serve.held());
        }
        judge.guard().record();
        Ledger loaded = serve.ledger();
        // Claims that are prepared while the boot is unknown must not count to an earlier one: the next start would
        // void them under their containers.
        session.open(boot.isPresent() ? loaded : loaded.at(Optional.empty()));
        List<Effect> effects = plan(loaded, present, boot, spec);
        session.run(effects);
        session.belongTo(boot);
        taken.ifPresent(decision -> log(decision, present));
        log(serve, session.ledger(), effects, boot);
        if (found instanceof LoadOutcome.RecoveredFromBackup || taken.isPresent()) {
            // The checkpoint itself is there again, should the public driver come back; and what is missing from now on
            // was lost, also where there was nothing to take over.
            session.save();
        }
        boolean blind = taken.map(RebuildPlan::blind).orElse(found instanceof LoadOutcome.UnreadableCheckpoint);
        return new RecoveryResult.RecoveryDone(session.ledger(), blind);
    }

    private static void log(RebuildPlan taken, SortedSet<ClaimUid> present) {
        SortedSet<ClaimUid> orphans = taken.orphans(present);
        if (!taken.ledger().entries().isEmpty()) {
            LOG.warn(
                    "checkpoint is missing, claims are taken over from the kubelet's record, their CDI specs and the API"
                            + " server claims={}",
                    taken.ledger().entries().keySet());
        }
        if (!orphans.isEmpty()) {
            LOG.warn(
                    "checkpoint is missing, removed CDI specs that are older than the boot or of unknown claims"
                            + " claims={}",
                    orphans);
        }
    }

    private static void log(
            RecoveryVerdict.Serve serve, Ledger recovered, List<Effect> effects, Optional<BootId> boot) {
        LOG.info(
                "claims recovered claims={} voidedByReboot={} effects={} boot={}",
                recovered.entries().size(),
                serve.rebooted() ? serve.ledger().entries().size() : 0,
                effects.size(),
                boot.map(Object::toString).orElse("unknown"));
    }

    /** What became of the claims of the agent's last life. */
    public sealed interface RecoveryResult {

        /** Claims can be served; blind where no checkpoint could be read: containers may run that no ledger knows. */
        record RecoveryDone(Ledger ledger, boolean blind) implements RecoveryResult {}

        /** Claims must not be served here; nothing has changed but broken checkpoints. The reason has several lines. */
        record RecoveryRefused(String reason) implements RecoveryResult {}
    }
}
