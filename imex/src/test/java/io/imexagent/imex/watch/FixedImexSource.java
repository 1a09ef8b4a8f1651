package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A source that says what a test wants. */
final class FixedImexSource implements ImexSource {

    private final boolean watched;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Optional<ImexHealth> current = Optional.empty();

    FixedImexSource() {
        this(true);
    }

    /** A source of an agent that watches, or of one that does not. */
    FixedImexSource(boolean watched) {
        this.watched = watched;
    }

    /** Says this from now on, and tells the listeners. */
    void say(ImexHealth health) {
        current = Optional.of(health);
        listeners.forEach(Runnable::run);
    }

    @Override
    public boolean watched() {
        return watched;
    }

    @Override
    public Optional<ImexHealth> current() {
        return current;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }
}
