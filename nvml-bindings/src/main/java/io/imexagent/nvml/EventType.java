package io.imexagent.nvml;

/** A kind of event of a GPU ({@code nvmlEventType*}). */
public sealed interface EventType {
    /** Returns the bit of the kind in NVML's event masks. */
    long bit();

    /** The kinds that this project listens for. */
    enum Known implements EventType {
        /** A critical error of the GPU or of a program on it; the event's data is the Xid. */
        XID(0x8),
        /** The GPU cannot be used any more. */
        GPU_UNAVAILABLE(0x4000),
        /** The action that would recover the GPU changed; {@link NvmlDevice#recoveryAction()} tells which it is. */
        RECOVERY_ACTION(0x8000);

        private final long bit;

        Known(long bit) {
            this.bit = bit;
        }

        @Override
        public long bit() {
            return bit;
        }
    }

    /**
     * A kind that is not among the known ones.
     *
     * @param bit the number that the driver gave
     */
    record Unlisted(long bit) implements EventType {}

    /** Returns the kind for a number of an event. */
    static EventType of(long bit) {
        for (Known known : Known.values()) {
            if (known.bit == bit) {
                return known;
            }
        }
        return new Unlisted(bit);
    }
}
