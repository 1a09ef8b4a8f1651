package io.imexagent.nvml;

/** Access to NVML, from which sessions are opened. */
public interface Nvml {
    /**
     * Loads the library and initialises NVML so that a host without GPUs is no error ({@code NVML_INIT_FLAG_NO_GPUS}).
     *
     * <p>Like every call of a session, this one may block for ever when the driver hangs: call it on a thread that may
     * be lost, and keep the deadline elsewhere.
     *
     * @throws NvmlException when the library is not there, cannot be loaded, or NVML refuses to start (no driver
     *     loaded, driver and library of different versions)
     */
    NvmlSession open() throws NvmlException;
}
