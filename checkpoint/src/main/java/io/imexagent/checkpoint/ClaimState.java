package io.imexagent.checkpoint;

import io.imexagent.core.ledger.ClaimEntry;

/** A claim's {@code checkpointState}. */
enum ClaimState {
    STARTED("PrepareStarted"),
    COMPLETED("PrepareCompleted"),
    ABORTED("PrepareAborted");

    private final String wire;

    ClaimState(String wire) {
        this.wire = wire;
    }

    String wire() {
        return wire;
    }

    static ClaimState of(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started started -> STARTED;
            case ClaimEntry.Completed completed -> COMPLETED;
            case ClaimEntry.Aborted aborted -> ABORTED;
        };
    }
}
