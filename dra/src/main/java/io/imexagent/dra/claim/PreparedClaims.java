package io.imexagent.dra.claim;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's claims: the ledger, its checkpoint and its CDI specs. Any thread may read the ledger. One thread at a time
 * changes it, under the plugin's lock: at the start the main thread, later the worker of claims. Failures are an {@link
 * IOException} that names path, reason and remedy.
 */
public final class PreparedClaims {

    private static final Logger LOG = LoggerFactory.getLogger(PreparedClaims.class);

    private final FileCheckpointStore checkpoint;
    private final ClaimGuard guard;
    private final CdiDirectory specs;
    private final PluginLock lock;
    private final Duration lockPatience;
    private final EffectListener effects;
    private final List<Consumer<Ledger>> listeners = new CopyOnWriteArrayList<>();

    /** The ledger as it was saved last. */
    private final AtomicReference<Ledger> current = new AtomicReference<>(Ledger.empty(Optional.empty()));

    /** Whether the last save failed, and how many ledgers were published; used by the holder of the lock. */
    private boolean unsaved;

    private long version;

    /** An empty ledger until a recovery opens it. The guard checks ledgers that other processes save. */
    public PreparedClaims(
            FileCheckpointStore checkpoint,
            ClaimGuard guard,
            CdiDirectory specs,
            PluginLock lock,
            Duration lockPatience,
            EffectListener effects) {
        this.checkpoint = checkpoint;
        this.guard = guard;
        this.specs = specs;
        this.lock = lock;
        this.lockPatience = lockPatience;
        this.effects = effects;
    }

    /** The ledger as it was saved last. Never blocks. */
    public Ledger ledger() {
        return current.get();
    }

    /** Calls the listener with the ledger after every change, on the thread that made it; it must not block. */
    public void onChange(Consumer<Ledger> listener) {
        listeners.add(listener);
    }

    /** Takes the plugin's lock, waiting for it, and runs the action with the current ledger. */
    public <T> T locked(LockedAction<T> work) throws IOException, InterruptedException {
        return opening(session -> {
            refresh();
            return work.in(session);
        });
    }

    /** Runs the action that opens the ledger under the plugin's lock. */
    public <T> T opening(LockedAction<T> work) throws IOException, InterruptedException {
        try (var _ = lock.acquire(lockPatience)) {
            long before = version;
            try {
                return new LedgerTransaction().complete(work);
            } finally {
                announce(before);
            }
        }
    }

    /**
     * Notes the checkpoint, so that changes by other processes from now on are noticed. Called before {@link
     * #openSettled}.
     */
    public void noteCheckpoint() {
        checkpoint.note();
    }

    /**
     * Opens a ledger that was loaded after {@link #noteCheckpoint}, without the lock; returns false if the effects
     * would change anything.
     */
    public boolean openSettled(Ledger loaded, List<Effect> owed) throws IOException {
        for (Effect effect : owed) {
            if (!(effect instanceof Effect.WriteCdi(var claim, var edits)) || !specs.holds(claim, edits)) {
                return false;
            }
        }
        owed.forEach(effects::after);
        long before = version;
        show(loaded);
        announce(before);
        return true;
    }

    private void open(Ledger loaded) {
        unsaved = false;
        show(loaded);
        checkpoint.note();
    }

    private void replace(Ledger next) throws IOException {
        unsaved = true;
        checkpoint.save(next);
        unsaved = false;
        show(next);
    }

    private void show(Ledger ledger) {
        current.set(ledger);
        version++;
    }

    /**
     * Synchronizes memory and checkpoint before a change: loads a checkpoint that another process saved, or repeats a
     * save that failed. If the checkpoint is unreadable, the ledger in memory is saved again. Fails with {@link
     * ForeignClaims} if another process saved claims that this agent must not serve; that checkpoint is left as it is.
     */
    private void refresh() throws IOException {
        if (checkpoint.changed()) {
            reload();
        } else if (unsaved) {
            replace(current.get());
        }
    }

    private void reload() throws IOException {
        switch (checkpoint.load()) {
            case LoadOutcome.LoadedCheckpoint loaded -> takeOver(loaded.ledger());
            case LoadOutcome.NoCheckpoint gone -> restore("it was removed");
            case LoadOutcome.RecoveredFromBackup broken -> restore(broken.reason());
            case LoadOutcome.UnreadableCheckpoint broken -> {
                checkpoint.setAside();
                restore(String.join("; ", broken.reasons()));
            }
        }
    }

    private void takeOver(Ledger theirs) throws IOException {
        Optional<BootId> boot = current.get().bootId();
        if (theirs.isOfEarlierBoot(boot)) {
            restore("it is of boot " + theirs.bootId().get() + ", and this is boot " + boot.get());
            return;
        }
        Optional<Objection> objection = guard.objection(theirs);
        if (objection.isPresent()) {
            throw new ForeignClaims(objection.get().reason());
        }
        LOG.warn(
                "checkpoint was changed by another process, its claims are taken over claims={}",
                theirs.entries().size());
        open(theirs);
        if (theirs.bootId().isEmpty() && boot.isPresent()) {
            // The boot is missing from the checkpoint of a driver that records none; without it, claims would survive a
            // reboot.
            replace(theirs.at(boot));
        }
    }

    private void restore(String reason) throws IOException {
        LOG.warn("checkpoint was damaged by another process, writing it again reason=\"{}\"", reason);
        replace(current.get());
    }

    private void announce(long before) {
        if (version != before) {
            Ledger now = current.get();
            listeners.forEach(listener -> listener.accept(now));
        }
    }

    @FunctionalInterface
    public interface LockedAction<T> {
        T in(LedgerTransaction session) throws IOException;
    }

    @FunctionalInterface
    private interface Undoing {
        void run() throws IOException;
    }

    /** Another process has saved claims in the checkpoint that this agent must not serve. */
    static final class ForeignClaims extends IOException {

        private static final long serialVersionUID = 1L;

        private ForeignClaims(String reason) {
            super("another process has changed the checkpoint of this node: " + reason
                    + " Nothing is prepared or unprepared here until the operator stops the other plugin and starts"
                    + " imex-agent again, whose log then tells the way out");
        }
    }

    /**
     * One session under the lock. Changes of the ledger are saved once, at the end of the session, and thus after the
     * CDI specs.
     */
    public final class LedgerTransaction {

        private Optional<Ledger> staged = Optional.empty();
        private final List<Effect> unannounced = new ArrayList<>();
        private final List<ClaimUid> written = new ArrayList<>();

        private LedgerTransaction() {}

        /** The current ledger, including the effects of this session. */
        public Ledger ledger() {
            return staged.orElseGet(current::get);
        }

        /** Why no further claim can be recorded, as a sentence; empty if one can. */
        public Optional<String> full() throws IOException {
            return checkpoint.full();
        }

        /** Starts with a loaded ledger. */
        public void open(Ledger loaded) {
            PreparedClaims.this.open(loaded);
        }

        /** Runs the effects up to the first that fails; entries are durable once the session has ended without failure. */
        public void run(List<Effect> planned) throws IOException {
            for (Effect effect : planned) {
                switch (effect) {
                    case Effect.RecordEntry(ClaimEntry entry) -> {
                        if (!ledger().entry(entry.uid()).equals(Optional.of(entry))) {
                            staged = Optional.of(ledger().with(entry));
                        }
                        unannounced.add(effect);
                    }
                    case Effect.ForgetEntry(ClaimUid claim) -> {
                        if (ledger().entry(claim).isPresent()) {
                            staged = Optional.of(ledger().without(claim));
                        }
                        unannounced.add(effect);
                    }
                    case Effect.WriteCdi(ClaimUid claim, ClaimEdits edits) -> {
                        written.add(claim);
                        ensure(claim, edits);
                        effects.after(effect);
                    }
                    case Effect.RemoveCdi(ClaimUid claim) -> {
                        specs.remove(claim);
                        effects.after(effect);
                    }
                }
            }
        }

        /** Restores the files of a prepared claim. */
        public void restore(ClaimUid claim, CdiDirectory.StoredSpec stored) throws IOException {
            specs.restore(claim, stored);
        }

        private void ensure(ClaimUid claim, ClaimEdits edits) throws IOException {
            try {
                specs.ensure(claim, edits);
            } catch (IOException failure) {
                // The checkpoint may be written nevertheless: the flush of the directory is the last step that can
                // fail.
                takeBack(List.of(claim), ledger(), failure);
                throw failure;
            }
        }

        /** Saves the current ledger, changed or not. */
        public void save() throws IOException {
            replace(ledger());
            staged = Optional.empty();
            unannounced.forEach(effects::after);
            unannounced.clear();
        }

        public void belongTo(Optional<BootId> boot) {
            if (!ledger().bootId().equals(boot)) {
                staged = Optional.of(ledger().at(boot));
            }
        }

        private <T> T complete(LockedAction<T> work) throws IOException {
            T done;
            try {
                done = work.in(this);
            } catch (IOException failure) {
                try {
                    end();
                } catch (IOException unsaved) {
                    failure.addSuppressed(unsaved);
                }
                throw failure;
            }
            end();
            return done;
        }

        private void end() throws IOException {
            try {
                if (staged.isPresent()) {
                    save();
                } else {
                    unannounced.forEach(effects::after);
                }
            } catch (IOException | RuntimeException failure) {
                takeBack(written, current.get(), failure);
                throw failure;
            }
        }

        /** Removes specs without an entry in the ledger after a failure, so that a refused claim leaves nothing. */
        private void takeBack(List<ClaimUid> claims, Ledger ledger, Exception failure) {
            boolean some = false;
            for (ClaimUid claim : claims) {
                if (!(ledger.entry(claim).orElse(null) instanceof ClaimEntry.Completed)) {
                    some = true;
                    undo(() -> specs.remove(claim), failure);
                }
            }
            if (some && unsaved) {
                undo(() -> replace(current.get()), failure);
            }
        }

        private static void undo(Undoing step, Exception failure) {
            try {
                step.run();
            } catch (IOException e) {
                failure.addSuppressed(e);
                LOG.warn("failed prepare could not be undone, the next start does it reason=\"{}\"", e.getMessage());
            }
        }
    }

    /** Observes every effect once it is durable. Crash tests end the process there. */
    @FunctionalInterface
    public interface EffectListener {

        EffectListener NONE = effect -> {};

        void after(Effect effect);
    }
}
