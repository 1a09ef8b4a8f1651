package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/** Knows how the host's nvidia-imex is. Safe for any thread. */
public interface ImexSource {

    boolean watched();

    /** How it was last; empty before the first look has ended. Never blocks. */
    Optional<ImexHealth> current();

    /** Calls the listener after each change, of what GPUs complain of too. The listener returns at once. */
    void onChange(Runnable listener);
}
