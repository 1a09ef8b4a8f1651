package io.imexagent.fabric.cuda;

/** A GPU as libcuda reports it to this process. */
public interface CudaDevice {
    /**
     * Returns the UUID, stable across reboots, in NVML's form {@code GPU-6a7d…}; with MIG the UUID of the MIG device.
     */
    String uuid();

    /** Returns whether memory of the GPU can be exported as fabric handles (attribute 128). */
    boolean supportsFabricHandles() throws CudaException;

    /**
     * Returns the compute mode (attribute 20): 0 default, 2 prohibited, 3 one process. The mode only restricts
     * contexts.
     */
    int computeMode() throws CudaException;

    /** Allocates the least memory that can be exported, 2 MiB; fails if the process has no IMEX channel. */
    FabricMemory allocate() throws CudaException;

    /**
     * Retains the primary context and makes it current for this thread, since reading and writing memory needs a
     * context.
     */
    CudaContext retainContext() throws CudaException;

    /** A retained context. */
    interface CudaContext extends AutoCloseable {
        @Override
        void close() throws CudaException;
    }
}
