package io.imexagent.checkpoint;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.ClaimEntry;
import java.util.Arrays;

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

    /** The state that the cursor is on. */
    static ClaimState read(JsonCursor json) throws MalformedJsonException {
        String wire = json.text();
        return Arrays.stream(values())
                .filter(state -> state.wire.equals(wire))
                .findFirst()
                .orElseThrow(() -> json.malformed(
                        Quoted.of(wire) + " must be PrepareStarted, PrepareCompleted or PrepareAborted"));
    }

    static ClaimState of(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started started -> STARTED;
            case ClaimEntry.Completed completed -> COMPLETED;
            case ClaimEntry.Aborted aborted -> ABORTED;
        };
    }
}
