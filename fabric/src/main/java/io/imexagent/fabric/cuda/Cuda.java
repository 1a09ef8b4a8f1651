package io.imexagent.fabric.cuda;

/**
 * Access to libcuda. Only a short-lived process uses it, since any call may block until the process is killed, and
 * since the library keeps its resources open until the process ends.
 */
@FunctionalInterface
public interface Cuda {
    /**
     * Loads the library and initialises it, which wakes every sleeping GPU and takes up to a minute without persistence
     * mode.
     */
    CudaSession open() throws CudaException;
}
