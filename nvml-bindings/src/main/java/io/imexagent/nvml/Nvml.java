package io.imexagent.nvml;

/** Access to NVML, from which sessions are opened. */
public interface Nvml {
    /**
     * Loads the library, unless it is loaded, and initialises NVML so that a host without GPUs is no error
     * ({@code NVML_INIT_FLAG_NO_GPUS}). Like every call of a session, this one may block for ever when the driver hangs.
     */
    NvmlSession open() throws NvmlException;

    /** Whether no driver answers here, but a simulation. */
    default boolean simulated() {
        return false;
    }
}
