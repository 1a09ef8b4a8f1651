package io.imexagent.dra.claim;

import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.Optional;

/** Judges whether an agent may serve the claims of a ledger that it did not write itself in this life. */
public interface ClaimGuard {

    /** For claims that only this agent writes, in one way. */
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

    /** Whether {@link #record} would surely change nothing, whatever claims there are. */
    boolean isRecorded() throws IOException;

    /** Records how claims are prepared from now on; a failure names path, reason and remedy. */
    void record() throws IOException;
}
