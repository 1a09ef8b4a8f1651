package io.imexagent.agent.prepare;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointStore;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.prepare.BackupPlanner;
import io.imexagent.core.prepare.Effect;
import io.imexagent.core.prepare.PreparePlanner;
import io.imexagent.core.prepare.RecoveryPlanner;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the book at start: loads the checkpoint, voids what a reboot voided, and brings ledger and CDI specs together.
 * Whatever it does can be broken off anywhere and done again. Only where claims are served: an agent that observes never
 * comes here.
 */
public final class Recovery {

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final ClaimBook book;
    private final CheckpointStore store;
    private final CdiDirectory specs;
    private final ClaimGuard guard;
    private final BackupPlanner backups;
    private final Path pluginDirectory;

    /**
     * A recovery of a book.
     *
     * @param book the book to open
     * @param store where it keeps its ledger
     * @param specs its CDI specs
     * @param guard judges the mode of its claims
     * @param backups judges the ledger of a backup
     * @param pluginDirectory where the plugin's lock stands; made where it is missing
     */
    public Recovery(
            ClaimBook book,
            CheckpointStore store,
            CdiDirectory specs,
            ClaimGuard guard,
            BackupPlanner backups,
            Path pluginDirectory) {
        this.book = book;
        this.store = store;
        this.specs = specs;
        this.guard = guard;
        this.backups = backups;
        this.pluginDirectory = pluginDirectory;
    }

    /** Recovers the claims of IMEX channels of this node, as {@link #run(Optional, Function)}. */
    public Recovered run(NodeInventory inventory) throws IOException, InterruptedException {
        return run(inventory.bootId(), entry -> PreparePlanner.grant(entry, inventory));
    }

    /**
     * Recovers, once, before the first claim.
     *
     * @param boot the running boot; an unknown one voids nothing
     * @param grant the effects that make a prepared claim usable, as {@link ClaimRules#grant}
     * @throws IOException where a file or the lock failed; the message names path, reason and remedy
     * @throws InterruptedException where the thread is interrupted while it waits for the lock
     */
    public Recovered run(Optional<BootId> boot, Function<ClaimEntry.Completed, List<Effect>> grant)
            throws IOException, InterruptedException {
        var node = new Node(boot, grant);
        new DurableFiles(FileSteps.ALL_PASS, "").createDirectory(pluginDirectory, DIRECTORY_MODE);
        return book.opening(session -> {
            List<Path> left = specs.sweepTemporaries();
            if (!left.isEmpty()) {
                LOG.info("unfinished CDI specs removed files={}", left);
            }
            SortedSet<ClaimUid> present = specs.list();
            return switch (store.load()) {
                case LoadOutcome.Loaded loaded -> {
                    loaded.note().ifPresent(note -> LOG.info("checkpoint adopted note=\"{}\"", note));
                    yield recover(session, loaded.ledger(), present, node);
                }
                case LoadOutcome.Fresh fresh -> recover(session, Ledger.empty(Optional.empty()), present, node);
                case LoadOutcome.RecoveredFromBackup backup -> fromBackup(session, backup, present, node);
                case LoadOutcome.Unreadable unreadable -> fromNothing(session, unreadable, present, node);
            };
        });
    }

    private Recovered fromNothing(
            ClaimBook.Session session, LoadOutcome.Unreadable unreadable, SortedSet<ClaimUid> present, Node node)
            throws IOException {
        if (!present.isEmpty()) {
            return new Recovered.Refused("no generation of the checkpoint can be read, and containers may hold the"
                    + " channels of these CDI specs:\n"
                    + files(present)
                    + unreadable.reasons().stream()
                            .map(reason -> "  " + reason + "\n")
                            .collect(Collectors.joining())
                    + wayOut());
        }
        LOG.warn(
                "no generation of the checkpoint can be read, and no CDI spec is there: starting without claims"
                        + " movedAside={}",
                store.setAside());
        return recover(session, Ledger.empty(Optional.empty()), present, node);
    }

    /**
     * At least the last change is lost; specs tell what it may have been. Where more is lost, since another driver wrote
     * in between, they tell of claims that the backup does not know, which nobody may take for orphans.
     */
    private Recovered fromBackup(
            ClaimBook.Session session, LoadOutcome.RecoveredFromBackup backup, SortedSet<ClaimUid> present, Node node)
            throws IOException {
        LOG.warn(
                "checkpoint taken from its backup reason=\"{}\" movedAside={}",
                backup.reason(),
                backup.movedAside().map(Object::toString).orElse("nothing"));
        if (RecoveryPlanner.rebooted(backup.ledger(), node.boot())) {
            return inPlace(session, backup.ledger(), present, node);
        }
        var unknown = new TreeSet<>(present);
        unknown.removeAll(backup.ledger().entries().keySet());
        if (!unknown.isEmpty()) {
            return new Recovered.Refused("the checkpoint cannot be read, its backup is too old: it does not know the"
                    + " claims of these CDI specs, whose channels containers may hold:\n"
                    + files(unknown) + "  " + backup.reason() + "\n" + wayOut());
        }
        return switch (backups.plan(backup.ledger(), present)) {
            case BackupPlanner.Outcome.Undecided undecided ->
                new Recovered.Refused("the checkpoint cannot be read, and its backup does not tell what the claims of"
                        + " these CDI specs were given, whose channels containers may hold:\n"
                        + undecided.claims().entrySet().stream()
                                .map(claim -> "  " + specs.file(claim.getKey()) + ": "
                                        + claim.getValue().message() + "\n")
                                .collect(Collectors.joining())
                        + "  " + backup.reason() + "\n" + wayOut());
            case BackupPlanner.Outcome.Settled settled -> {
                if (!settled.held().isEmpty()) {
                    LOG.warn(
                            "the backup does not tell that these claims were answered, they count as prepared since"
                                    + " they have a CDI spec claims={}",
                            settled.held());
                }
                yield inPlace(session, settled.ledger(), present, node);
            }
        };
    }

    /** Goes on with a ledger that the checkpoint does not hold, and saves it there. */
    private Recovered inPlace(ClaimBook.Session session, Ledger ledger, SortedSet<ClaimUid> present, Node node)
            throws IOException {
        Recovered recovered = recover(session, ledger, present, node);
        if (recovered instanceof Recovered.Ready) {
            // The checkpoint itself is there again, should the public driver come back.
            session.save();
        }
        return recovered;
    }

    private Recovered recover(ClaimBook.Session session, Ledger loaded, SortedSet<ClaimUid> present, Node node)
            throws IOException {
        boolean rebooted = RecoveryPlanner.rebooted(loaded, node.boot());
        Ledger valid = rebooted ? Ledger.empty(node.boot()) : loaded;
        Optional<String> objection = guard.objection(valid);
        if (objection.isPresent()) {
            return new Recovered.Refused(objection.get());
        }
        guard.record();
        // Claims that are prepared while the boot is unknown must not count to an earlier one: the next start would
        // void them under their containers.
        session.open(node.boot().isPresent() ? loaded : loaded.withoutBoot());
        List<Effect> effects = RecoveryPlanner.plan(loaded, present, node.boot(), node.grant());
        session.run(effects);
        if (node.boot().isPresent()) {
            session.belongTo(node.boot().get());
        }
        LOG.info(
                "claims recovered claims={} voidedByReboot={} effects={} boot={}",
                session.ledger().entries().size(),
                rebooted ? loaded.entries().size() : 0,
                effects.size(),
                node.boot().map(Object::toString).orElse("unknown"));
        return new Recovered.Ready(session.ledger());
    }

    private String files(SortedSet<ClaimUid> claims) {
        return claims.stream().map(claim -> "  " + specs.file(claim) + "\n").collect(Collectors.joining());
    }

    private static String wayOut() {
        return "Way out: cordon this node and drain its ComputeDomain workloads (kubectl drain), delete these CDI"
                + " specs, and start imex-agent again. A reboot of the drained node does the same.";
    }

    /**
     * What the node says of itself.
     *
     * @param boot the running boot
     * @param grant what makes a prepared claim usable
     */
    private record Node(Optional<BootId> boot, Function<ClaimEntry.Completed, List<Effect>> grant) {}
}
