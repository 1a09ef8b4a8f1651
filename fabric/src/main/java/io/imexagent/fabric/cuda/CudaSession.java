package io.imexagent.fabric.cuda;

import java.util.List;

/** An initialised libcuda. It has no end but that of the process. For one thread. */
public interface CudaSession {
    /** Returns the newest CUDA that the driver supports, such as {@code 13.0}. */
    String driverVersion() throws CudaException;

    /** Returns the GPUs that libcuda shows this process, in its order. */
    List<CudaDevice> devices() throws CudaException;

    /**
     * Imports the memory behind a handle. A same-node import asks the kernel module alone; one from another node asks
     * nvidia-imex of this node, without a timeout. The import pins the exporter's memory: close it at once.
     *
     * @param bytes the size of the allocation, as its exporter says
     */
    FabricMemory importMemory(FabricHandle handle, long bytes) throws CudaException;
}
