package io.imexagent.dra.claim;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The node's claims: the ledger, the checkpoint that keeps it, and the CDI specs that go with it. Everybody may read the
 * ledger. Changes are made under the plugin's lock by one thread at a time: the worker of claims, and before it begins
 * the start of the agent.
 */
public final class PreparedClaims {

    private final PluginLock lock;
    private final Duration lockPatience;
    private final ClaimStore store;
    private final CdiDirectory specs;
    private final EffectListener effects;
    private final List<Consumer<Ledger>> listeners = new CopyOnWriteArrayList<>();

    /**
     * Claims that are none until a recovery has opened them; nothing is read or written before.
     *
     * @param checkpoint keeps the ledger
     * @param guard judges the claims that other processes save there
     * @param specs the CDI specs
     * @param lock keeps other processes out
     * @param lockPatience how long to wait for another process that holds the lock
     * @param effects is told of every effect
     */
    public PreparedClaims(
            FileCheckpointStore checkpoint,
            ClaimGuard guard,
            CdiDirectory specs,
            PluginLock lock,
            Duration lockPatience,
            EffectListener effects) {
        this.lock = lock;
        this.lockPatience = lockPatience;
        this.store = new ClaimStore(checkpoint, guard);
        this.specs = specs;
        this.effects = effects;
    }

    /** The ledger as it was saved last. Never blocks. */
    public Ledger ledger() {
        return store.current();
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
        return opening(session -> {
            store.refresh();
            return work.in(session);
        });
    }

    /** As {@link #locked}, before there is a ledger: the work opens it. */
    public <T> T opening(Work<T> work) throws IOException, InterruptedException {
        try (var _ = lock.acquire(lockPatience)) {
            long before = store.version();
            try {
                return work.in(new Session());
            } finally {
                announce(before);
            }
        }
    }

    /** Before the ledger is opened by {@link #openSettled}: what other processes do from now on is noticed. */
    public void look() {
        store.look();
    }

    /**
     * Opens the ledger without the lock, where the effects have nothing left to change; whether they had not.
     *
     * @param loaded what was loaded after {@link #look}
     */
    public boolean openSettled(Ledger loaded, List<Effect> owed) throws IOException {
        for (Effect effect : owed) {
            if (!(effect instanceof Effect.WriteCdi(var claim, var edits)) || !specs.holds(claim, edits)) {
                return false;
            }
        }
        owed.forEach(effects::after);
        long before = store.version();
        store.openSeen(loaded);
        announce(before);
        return true;
    }

    private void announce(long before) {
        if (store.version() != before) {
            Ledger now = store.current();
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
            return store.current();
        }

        /**
         * Why no further claim can be recorded, a sentence; empty where one can.
         *
         * @throws IOException where the checkpoint cannot be looked at
         */
        public Optional<String> full() throws IOException {
            return store.full();
        }

        /** Begins with the ledger that was loaded. */
        public void open(Ledger loaded) {
            store.open(loaded);
        }

        /**
         * Runs the effects in their order, each durably, up to the first that fails. One that changes nothing costs no
         * write.
         *
         * @throws IOException where it failed; the message names path, reason and remedy
         */
        public void run(List<Effect> planned) throws IOException {
            for (Effect effect : planned) {
                switch (effect) {
                    case Effect.RecordEntry it -> store.record(it.entry());
                    case Effect.ForgetEntry it -> store.forget(it.claim());
                    case Effect.WriteCdi it -> specs.ensure(it.claim(), it.edits());
                    case Effect.RemoveCdi it -> specs.remove(it.claim());
                }
                effects.after(effect);
            }
        }

        /** Saves the ledger as it stands. */
        public void save() throws IOException {
            store.replace(store.current());
        }

        /** Counts the claims to this boot, and saves that. */
        public void belongTo(BootId boot) throws IOException {
            if (!store.current().bootId().equals(Optional.of(boot))) {
                store.replace(store.current().at(boot));
            }
        }
    }
}
