package io.imexagent.fabric.cuda;

/** A GPU as libcuda shows it to this process. */
public interface CudaDevice {
    /** Returns the identifier across reboots as NVML writes it, {@code GPU-6a7d…}; with MIG that of the MIG device. */
    String uuid();

    /** Tells whether memory of the GPU can be exported as fabric handles (attribute 128). */
    boolean supportsFabricHandles() throws CudaException;

    /** Returns the compute mode (attribute 20): 0 default, 2 prohibited, 3 one process. Only a context depends on it. */
    int computeMode() throws CudaException;

    /** Allocates the least memory that can be exported, 2 MiB; refused where the process has no IMEX channel. */
    FabricMemory allocate() throws CudaException;

    /** Retains the primary context and makes it the thread's: memory is only written and read in one. */
    CudaContext retainContext() throws CudaException;

    /** A retained context. */
    interface CudaContext extends AutoCloseable {
        @Override
        void close() throws CudaException;
    }
}
