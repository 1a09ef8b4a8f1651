package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/** The source of the health of the host's nvidia-imex. Thread-safe. */
public interface ImexSource {

    boolean watched();

    /** The last known health; empty before the first check has ended. Never blocks. */
    Optional<ImexHealth> current();

    /** Adds a listener, called after each change, of the GPUs' complaint too; it returns at once. */
    void onChange(Runnable listener);
}
