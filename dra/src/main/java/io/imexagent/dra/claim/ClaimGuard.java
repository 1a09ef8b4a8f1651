package io.imexagent.dra.claim;

import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.Optional;

/**
 * Decides whether the agent may serve the claims of a ledger that another process, or an earlier run of the agent,
 * wrote.
 */
public interface ClaimGuard {

    /** The guard of a driver whose claims only this agent writes, and in one way. */
    ClaimGuard NONE = new ClaimGuard() {
        @Override
        public Optional<Objection> objection(Ledger ledger) {
            return Optional.empty();
        }

        @Override
        public boolean isRecorded() {
            return true;
        }

        @Override
        public void record() {}
    };

    /** Why the agent must not serve these claims; empty if it may. */
    Optional<Objection> objection(Ledger ledger) throws IOException;

    /** Whether {@link #record} would change nothing, for any ledger. */
    boolean isRecorded() throws IOException;

    /** Records how claims are prepared from now on; a failure names path, reason and remedy. */
    void record() throws IOException;
}
