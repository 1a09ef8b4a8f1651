package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/** Knows how the host's nvidia-imex is. Safe for any thread. */
public interface ImexSource {

    /** A source of an agent that does not watch. */
    ImexSource UNWATCHED = new ImexSource() {
        @Override
        public boolean watched() {
            return false;
        }

        @Override
        public Optional<ImexHealth> current() {
            return Optional.empty();
        }

        @Override
        public void onChange(Runnable listener) {}
    };

    /** Whether nvidia-imex is watched at all. */
    boolean watched();

    /** How it was last; empty before the first look has ended. Never blocks. */
    Optional<ImexHealth> current();

    /** Calls the listener after each change, on the thread of the watch. The listener returns at once. */
    void onChange(Runnable listener);
}
