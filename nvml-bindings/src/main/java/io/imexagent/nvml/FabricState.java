package io.imexagent.nvml;

/** How far a GPU got with joining its NVLink fabric ({@code nvmlGpuFabricState_t}). */
public enum FabricState implements Numbered.Name {
    /** The GPU has no fabric to join. */
    NOT_SUPPORTED(0),
    /** The GPU has not begun to register with the fabric. */
    NOT_STARTED(1),
    /** The registration is under way; it may take minutes after a boot. */
    IN_PROGRESS(2),
    /** The registration ended; the status says how. */
    COMPLETED(3);

    private final long number;

    FabricState(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
