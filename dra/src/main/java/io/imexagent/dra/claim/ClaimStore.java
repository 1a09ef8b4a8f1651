package io.imexagent.dra.claim;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger in memory, in step with the checkpoint: what it shows is saved. Everybody may look; changes are for the
 * holder of the plugin's lock.
 */
final class ClaimStore {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimStore.class);

    private final FileCheckpointStore store;
    private final ClaimGuard guard;
    private final AtomicReference<Ledger> current = new AtomicReference<>(Ledger.empty(Optional.empty()));

    private boolean unsaved;
    private long version;

    ClaimStore(FileCheckpointStore store, ClaimGuard guard) {
        this.store = store;
        this.guard = guard;
    }

    Ledger current() {
        return current.get();
    }

    /** Counts the ledgers that were shown. */
    long version() {
        return version;
    }

    /** Begins with the ledger that was loaded. */
    void open(Ledger loaded) {
        unsaved = false;
        show(loaded);
        store.note();
    }

    /** What is loaded from now on counts as seen; what another process saves later is taken over. */
    void look() {
        store.note();
    }

    /** Begins with a ledger that was loaded after {@link #look}, without the lock. */
    void openSeen(Ledger loaded) {
        show(loaded);
    }

    /** The checkpoint has this entry for its claim. */
    void record(ClaimEntry entry) throws IOException {
        Ledger ledger = current.get();
        if (unsaved || !ledger.entry(entry.uid()).equals(Optional.of(entry))) {
            replace(ledger.with(entry));
        }
    }

    /** The checkpoint has no entry for the claim. */
    void forget(ClaimUid claim) throws IOException {
        Ledger ledger = current.get();
        if (unsaved || ledger.entry(claim).isPresent()) {
            replace(ledger.without(claim));
        }
    }

    /** Why the checkpoint has no room for a further claim; empty where it has. */
    Optional<String> full() throws IOException {
        return store.full();
    }

    /** Saves the ledger, and only then shows it. */
    void replace(Ledger next) throws IOException {
        unsaved = true;
        store.save(next);
        unsaved = false;
        show(next);
    }

    private void show(Ledger ledger) {
        current.set(ledger);
        version++;
    }

    /**
     * Brings memory and checkpoint in step before a change: takes over what another process saved, or else makes good a
     * save that failed. Where the checkpoint is not readable, what is in memory counts and is saved again.
     *
     * @throws ForeignClaimsException where another process saved what this agent must not serve; it is left alone
     */
    void refresh() throws IOException {
        if (store.changed()) {
            reload();
        } else if (unsaved) {
            replace(current.get());
        }
    }

    private void reload() throws IOException {
        switch (store.load()) {
            case LoadOutcome.Loaded loaded -> takeOver(loaded.ledger());
            case LoadOutcome.Fresh gone -> restore("it was removed");
            case LoadOutcome.RecoveredFromBackup broken -> restore(broken.reason());
            case LoadOutcome.Unreadable broken -> {
                store.setAside();
                restore(String.join("; ", broken.reasons()));
            }
        }
    }

    private void takeOver(Ledger theirs) throws IOException {
        Optional<BootId> boot = current.get().bootId();
        if (theirs.isOfEarlierBoot(boot)) {
            restore("it is of boot " + theirs.bootId().get() + ", and this is boot " + boot.get());
            // Once more, so that the backup is not of that boot either: it would void all claims.
            replace(current.get());
            return;
        }
        Optional<Objection> objection = guard.objection(theirs);
        if (objection.isPresent()) {
            throw new ForeignClaimsException(objection.get().reason());
        }
        LOG.warn(
                "checkpoint was changed by another process, its claims are taken over claims={}",
                theirs.entries().size());
        open(theirs);
        if (theirs.bootId().isEmpty() && boot.isPresent()) {
            // A driver that records no boot: without one the claims would outlive a reboot.
            replace(theirs.at(boot.get()));
        }
    }

    private void restore(String reason) throws IOException {
        LOG.warn("checkpoint was spoiled by somebody else, it is written again reason=\"{}\"", reason);
        replace(current.get());
    }
}
