package io.imexagent.fabric.cuda;

import java.util.List;

/** An initialised libcuda. It lasts until the process ends. For one thread. */
public interface CudaSession {
    /** Returns the newest CUDA version that the driver supports, such as {@code 13.0}. */
    String driverVersion() throws CudaException;

    /** Returns the GPUs that libcuda reports to this process, in the order of libcuda. */
    List<CudaDevice> devices() throws CudaException;

    /**
     * Imports the memory behind a handle. For memory of this node libcuda needs only the kernel module; for memory of
     * another node it waits for nvidia-imex of this node, without a timeout. The import pins the exporter's memory:
     * close it at once.
     *
     * @param bytes the size of the allocation, as its exporter reports it
     */
    FabricMemory importMemory(FabricHandle handle, long bytes) throws CudaException;
}
