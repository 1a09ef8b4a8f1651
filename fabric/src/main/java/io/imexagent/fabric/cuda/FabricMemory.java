package io.imexagent.fabric.cuda;

/** Memory of a GPU that this process has allocated or imported, until it is closed. */
public interface FabricMemory extends AutoCloseable {
    /** Returns the size in bytes. */
    long bytes();

    /** Exports the memory; importers can use the handle for as long as this process has the memory. */
    FabricHandle export() throws CudaException;

    /** Reserves addresses, maps the memory there and lets the GPU read and write it, which needs no context. */
    MappedMemory map(CudaDevice device) throws CudaException;

    /** Releases the memory; once its last user has, it is free. */
    @Override
    void close() throws CudaException;

    /** Memory at addresses of this process, until it is closed: unmapped, and its addresses freed. */
    interface MappedMemory extends AutoCloseable {
        /** Writes from the start of the memory on, and returns once the bytes are there; needs a context. */
        void write(byte[] bytes) throws CudaException;

        /** Reads as many bytes from the start of the memory on; needs a context. */
        byte[] read(int count) throws CudaException;

        @Override
        void close() throws CudaException;
    }
}
