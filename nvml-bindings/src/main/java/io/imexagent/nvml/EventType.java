package io.imexagent.nvml;

/** A kind of event of a GPU ({@code nvmlEventType*}) that this project listens for; the number is a bit. */
public enum EventType implements Numbered.Name {
    /** A critical error of the GPU or of a program on it; the event's data is the Xid. */
    XID(0x8),
    GPU_UNAVAILABLE(0x4000),
    /** The action that would recover the GPU changed; {@link NvmlDevice#recoveryAction()} tells which it is. */
    RECOVERY_ACTION(0x8000);

    private final long number;

    EventType(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
