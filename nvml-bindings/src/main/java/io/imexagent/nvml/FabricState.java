package io.imexagent.nvml;

/** How far a GPU got with joining its NVLink fabric ({@code nvmlGpuFabricState_t}). */
public sealed interface FabricState {
    /** Returns NVML's number of the state, 0 to 255. */
    int number();

    /** The states that have a name here. */
    enum Known implements FabricState {
        /** The GPU has no fabric to join. */
        NOT_SUPPORTED(0),
        /** The GPU has not begun to register with the fabric. */
        NOT_STARTED(1),
        /** The registration is under way; it may take minutes after a boot. */
        IN_PROGRESS(2),
        /** The registration ended; the status says how. */
        COMPLETED(3);

        private final int number;

        Known(int number) {
            this.number = number;
        }

        @Override
        public int number() {
            return number;
        }
    }

    /**
     * A state that has no name here.
     *
     * @param number NVML's number
     */
    record Unlisted(int number) implements FabricState {}

    /** Returns the state for a number. */
    static FabricState of(int number) {
        for (Known known : Known.values()) {
            if (known.number == number) {
                return known;
            }
        }
        return new Unlisted(number);
    }
}
