package io.imexagent.fabric.cuda.jna;

import com.sun.jna.Pointer;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaException;
import io.imexagent.fabric.cuda.CudaException.CudaCallFailed;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.fabric.cuda.jna.CudaStructs.MemAccessDesc;
import io.imexagent.fabric.cuda.jna.CudaStructs.MemAllocationProp;
import io.imexagent.nvml.jna.LibrarySearch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * An initialised libcuda. Only a short-lived process has one, since any call may block until the process is killed, and
 * since the library keeps its resources open until the process ends. For one thread.
 */
public record CudaSession(CudaFunctions cuda) {

    private static final String LIBRARY = "libcuda.so.1";
    private static final int UUID_BYTES = 16;

    /** A value of {@code CUdevice_attribute}. */
    private static final int FABRIC_SUPPORTED = 128;

    /** {@code CU_MEM_ALLOC_GRANULARITY_MINIMUM}. */
    private static final int MINIMUM = 0;

    private static final long NO_FLAGS = 0;

    /**
     * Loads libcuda of the driver below this root and initialises it, which wakes every sleeping GPU and takes up to a
     * minute without persistence mode. Each call is announced before it begins.
     */
    public static CudaSession open(Path driverRoot, Consumer<CudaCall> announce) throws CudaException {
        CudaFunctions cuda = CudaFunctions.load(LibrarySearch.of(driverRoot, List.of(), LIBRARY), announce);
        cuda.call(CudaCall.INIT, 0);
        return new CudaSession(cuda);
    }

    /** Returns the GPUs that libcuda reports to this process, in the order of libcuda. */
    public List<CudaDevice> devices() throws CudaException {
        int count = cuda.intOf(CudaCall.DEVICE_COUNT);
        List<CudaDevice> devices = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            int device = cuda.intOf(CudaCall.DEVICE, index);
            byte[] uuid = new byte[UUID_BYTES];
            cuda.call(CudaCall.DEVICE_UUID, uuid, device);
            ByteBuffer inOrder = ByteBuffer.wrap(uuid);
            devices.add(new CudaDevice(cuda, device, "GPU-" + new UUID(inOrder.getLong(), inOrder.getLong())));
        }
        return devices;
    }

    /**
     * Imports the memory behind a handle. For memory of this node libcuda needs only the kernel module; for memory of
     * another node it waits for nvidia-imex of this node, without a timeout. The import pins the exporter's memory:
     * close it at once.
     *
     * @param bytes the size of the allocation, as its exporter reports it
     */
    public FabricMemory importMemory(FabricHandle handle, long bytes) throws CudaException {
        long memory = cuda.longOf(CudaCall.IMPORT, handle.bytes(), MemAllocationProp.FABRIC);
        return new FabricMemory(cuda, memory, bytes);
    }

    /**
     * A GPU as libcuda reports it to this process.
     *
     * @param uuid stable across reboots, in NVML's form {@code GPU-6a7d…}; with MIG the UUID of the MIG device
     */
    public record CudaDevice(CudaFunctions cuda, int ordinal, String uuid) {

        /** Returns whether memory of the GPU can be exported as fabric handles (attribute 128). */
        public boolean supportsFabricHandles() throws CudaException {
            return cuda.intOf(CudaCall.DEVICE_ATTRIBUTE, FABRIC_SUPPORTED, ordinal) == 1;
        }

        /** Allocates the least memory that can be exported, 2 MiB; fails if the process has no IMEX channel. */
        public FabricMemory allocate() throws CudaException {
            var properties = new MemAllocationProp();
            properties.location.id = ordinal;
            long bytes = cuda.longOf(CudaCall.GRANULARITY, properties, MINIMUM);
            return new FabricMemory(cuda, cuda.longOf(CudaCall.CREATE, bytes, properties, NO_FLAGS), bytes);
        }

        /**
         * Retains the primary context and makes it current for this thread, since reading and writing memory needs a
         * context.
         */
        public CudaContext retainContext() throws CudaException {
            long context = cuda.longOf(CudaCall.CONTEXT_RETAIN, ordinal);
            try {
                cuda.call(CudaCall.CONTEXT_SET, new Pointer(context));
            } catch (CudaCallFailed failure) {
                throw cuda.after(failure, CudaCall.CONTEXT_RELEASE, ordinal);
            }
            return () -> cuda.call(CudaCall.CONTEXT_RELEASE, ordinal);
        }
    }

    /** A retained context. */
    public interface CudaContext extends AutoCloseable {
        @Override
        void close() throws CudaException;
    }

    /** GPU memory that this process has allocated or imported, of this size, and keeps until this is closed. */
    public record FabricMemory(CudaFunctions cuda, long memory, long bytes) implements AutoCloseable {

        /** Exports the memory; the handle is valid for as long as this process keeps the memory. */
        public FabricHandle export() throws CudaException {
            byte[] handle = new byte[FabricHandle.BYTES];
            cuda.call(CudaCall.EXPORT, handle, memory, MemAllocationProp.FABRIC, NO_FLAGS);
            return FabricHandle.of(handle);
        }

        /** Reserves addresses, maps the memory there and gives the GPU read and write access; needs no context. */
        public MappedMemory map(CudaDevice device) throws CudaException {
            long address = cuda.longOf(CudaCall.ADDRESS_RESERVE, bytes, 0L, 0L, NO_FLAGS);
            try {
                cuda.call(CudaCall.MAP, address, bytes, 0L, memory, NO_FLAGS);
            } catch (CudaCallFailed failure) {
                throw cuda.after(failure, CudaCall.ADDRESS_FREE, address, bytes);
            }
            try {
                var access = new MemAccessDesc();
                access.location.id = device.ordinal();
                cuda.call(CudaCall.SET_ACCESS, address, bytes, access, 1L);
            } catch (CudaCallFailed failure) {
                cuda.after(failure, CudaCall.UNMAP, address, bytes);
                throw cuda.after(failure, CudaCall.ADDRESS_FREE, address, bytes);
            }
            return new MappedMemory(cuda, address, bytes);
        }

        /** Releases the memory, which is free once all its users have released it. */
        @Override
        public void close() throws CudaException {
            cuda.call(CudaCall.RELEASE, memory);
        }
    }

    /** Memory that is mapped into this process. Closing it unmaps the memory and frees its addresses. */
    public record MappedMemory(CudaFunctions cuda, long address, long bytes) implements AutoCloseable {

        /** Writes the bytes to the start of the memory and waits until they are written; needs a context. */
        public void write(byte[] written) throws CudaException {
            cuda.call(CudaCall.WRITE, address, written, (long) written.length);
            // A copy of a few bytes is asynchronous, and faults (Xid 31) if the memory is unmapped before it ends.
            // Reading the bytes back waits for its end.
            read(written.length);
        }

        /** Reads {@code count} bytes from the start of the memory; needs a context. */
        public byte[] read(int count) throws CudaException {
            byte[] filled = new byte[count];
            cuda.call(CudaCall.READ, filled, address, (long) count);
            return filled;
        }

        @Override
        public void close() throws CudaException {
            try {
                cuda.call(CudaCall.UNMAP, address, bytes);
            } finally {
                cuda.call(CudaCall.ADDRESS_FREE, address, bytes);
            }
        }
    }
}
