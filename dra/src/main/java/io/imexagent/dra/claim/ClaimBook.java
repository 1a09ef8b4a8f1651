package io.imexagent.dra.claim;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointStore;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.recovery.Recovery;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The node's claims: the ledger, the checkpoint that keeps it, and the CDI specs that go with it. Everybody may read the
 * ledger. Changes are made under the plugin's lock by one thread at a time: the lane of claims, and before it begins the
 * start of the agent.
 */
public final class ClaimBook {

    private final PluginLock lock;
    private final Duration lockPatience;
    private final LedgerKeeper keeper;
    private final EffectInterpreter interpreter;
    private final List<Consumer<Ledger>> listeners = new CopyOnWriteArrayList<>();

    /**
     * A book that is empty until {@link Recovery} has opened it; nothing is read or written before.
     *
     * @param store keeps the ledger
     * @param watch notices what other processes do to the checkpoint
     * @param guard judges the claims that they save there
     * @param specs the CDI specs
     * @param lock keeps other processes out
     * @param lockPatience how long to wait for another process that holds the lock
     * @param listener is told of every effect
     */
    public ClaimBook(
            CheckpointStore store,
            CheckpointWatch watch,
            ClaimGuard guard,
            CdiDirectory specs,
            PluginLock lock,
            Duration lockPatience,
            EffectListener listener) {
        this.lock = lock;
        this.lockPatience = lockPatience;
        this.keeper = new LedgerKeeper(store, watch, guard);
        this.interpreter = new EffectInterpreter(keeper, specs, listener);
    }

    /** The ledger as it was saved last. Never blocks. */
    public Ledger ledger() {
        return keeper.current();
    }

    /** Calls the listener with the ledger after every change, on the thread that made it; it must not block. */
    public void onChange(Consumer<Ledger> listener) {
        listeners.add(listener);
    }

    /**
     * Does work under the plugin's lock, with the ledger as it stands then.
     *
     * @throws IOException where the lock, a file of the claims, or the work failed; the message names the remedy
     * @throws InterruptedException where the thread is interrupted while it waits for the lock
     */
    public <T> T locked(Work<T> work) throws IOException, InterruptedException {
        try (var _ = lock.acquire(lockPatience)) {
            long before = keeper.version();
            try {
                keeper.refresh();
                return work.in(new Session());
            } finally {
                announce(before);
            }
        }
    }

    /** As {@link #locked}, before there is a ledger: the work opens the book. */
    public <T> T opening(Work<T> work) throws IOException, InterruptedException {
        try (var _ = lock.acquire(lockPatience)) {
            long before = keeper.version();
            try {
                return work.in(new Session());
            } finally {
                announce(before);
            }
        }
    }

    /** Before the book is opened by {@link #openSettled}: what other processes do from now on is noticed. */
    public void look() {
        keeper.look();
    }

    /**
     * Opens the book without the lock, where the effects have nothing left to change; whether they had not.
     *
     * @param loaded what was loaded after {@link #look}
     */
    public boolean openSettled(Ledger loaded, List<Effect> effects) throws IOException {
        if (!interpreter.settled(effects)) {
            return false;
        }
        long before = keeper.version();
        keeper.openSeen(loaded);
        announce(before);
        return true;
    }

    private void announce(long before) {
        if (keeper.version() != before) {
            Ledger now = keeper.current();
            listeners.forEach(listener -> listener.accept(now));
        }
    }

    /** Work under the lock. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Session session) throws IOException;
    }

    /** The time under the lock. */
    public final class Session {

        private Session() {}

        /** The ledger as it stands now, effects that ran in this session included. */
        public Ledger ledger() {
            return keeper.current();
        }

        /** Begins with the ledger that was loaded. */
        public void open(Ledger loaded) {
            keeper.open(loaded);
        }

        /** Runs the effects in their order, up to the first that fails. */
        public void run(List<Effect> effects) throws IOException {
            for (Effect effect : effects) {
                interpreter.run(effect);
            }
        }

        /** Saves the ledger as it stands. */
        public void save() throws IOException {
            keeper.replace(keeper.current());
        }

        /** Counts the claims to this boot, and saves that. */
        public void belongTo(BootId boot) throws IOException {
            if (!keeper.current().bootId().equals(Optional.of(boot))) {
                keeper.replace(keeper.current().at(boot));
            }
        }
    }
}
