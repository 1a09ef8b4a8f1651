package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import java.time.Duration;

/** Is told of each look at nvidia-imex, for metrics. Called on the thread of the watch; must not block. */
public interface ImexObserver {

    /** A look has ended. */
    void looked(ImexHealth health, Duration took);

    /**
     * A look did not tell: the tool hung, flooded, failed, or was not understood.
     *
     * @param reason why, in lower-case words joined by underscores
     */
    void failed(String reason);
}
