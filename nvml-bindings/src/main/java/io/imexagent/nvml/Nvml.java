package io.imexagent.nvml;

/** Access to NVML, which opens sessions. */
public interface Nvml {
    /**
     * Loads the library, unless it is loaded, and initialises NVML so that a host without GPUs is not an error ({@code
     * NVML_INIT_FLAG_NO_GPUS}). Like every call of a session, this call may block for ever if the driver hangs.
     */
    NvmlSession open() throws NvmlException;

    /** Whether a simulation answers instead of a driver. */
    default boolean simulated() {
        return false;
    }
}
