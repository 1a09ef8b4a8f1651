package io.imexagent.nvml;

/** How far a GPU got with joining its NVLink fabric ({@code nvmlGpuFabricState_t}). */
public enum FabricState implements Numbered.Name {
    /** The GPU has no fabric to join. */
    NOT_SUPPORTED,
    /** The GPU has not begun to register with the fabric. */
    NOT_STARTED,
    /** The registration is under way; it may take minutes after a boot. */
    IN_PROGRESS,
    /** The registration ended; the status says how. */
    COMPLETED
}
