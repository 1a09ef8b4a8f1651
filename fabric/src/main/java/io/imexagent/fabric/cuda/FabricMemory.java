package io.imexagent.fabric.cuda;

/** GPU memory that this process has allocated or imported and keeps until this is closed. */
public interface FabricMemory extends AutoCloseable {
    /** Returns the size in bytes. */
    long bytes();

    /** Exports the memory; the handle is valid for as long as this process keeps the memory. */
    FabricHandle export() throws CudaException;

    /** Reserves addresses, maps the memory there and gives the GPU read and write access; needs no context. */
    MappedMemory map(CudaDevice device) throws CudaException;

    /** Releases the memory, which is free once all its users have released it. */
    @Override
    void close() throws CudaException;

    /** Memory that is mapped into this process. Closing it unmaps the memory and frees its addresses. */
    interface MappedMemory extends AutoCloseable {
        /** Writes the bytes to the start of the memory and waits until they are written; needs a context. */
        void write(byte[] bytes) throws CudaException;

        /** Reads {@code count} bytes from the start of the memory; needs a context. */
        byte[] read(int count) throws CudaException;

        @Override
        void close() throws CudaException;
    }
}
