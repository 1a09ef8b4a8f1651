package io.imexagent.fabric.cuda.jna;

import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaDevice;
import io.imexagent.fabric.cuda.CudaException;
import io.imexagent.fabric.cuda.CudaException.CudaCallFailed;
import io.imexagent.fabric.cuda.CudaSession;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.fabric.cuda.FabricMemory;
import io.imexagent.fabric.cuda.jna.CudaStructs.MemAccessDesc;
import io.imexagent.fabric.cuda.jna.CudaStructs.MemAllocationProp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

record JnaCudaSession(CudaFunctions cuda) implements CudaSession {

    private static final int UUID_BYTES = 16;

    // Values of CUdevice_attribute.
    private static final int COMPUTE_MODE = 20;
    private static final int FABRIC_SUPPORTED = 128;

    /** {@code CU_MEM_ALLOC_GRANULARITY_MINIMUM}. */
    private static final int MINIMUM = 0;

    private static final long NO_FLAGS = 0;

    @Override
    public String driverVersion() throws CudaException {
        int version = cuda.intOf(CudaCall.DRIVER_VERSION);
        return version / 1000 + "." + version % 1000 / 10;
    }

    @Override
    public List<CudaDevice> devices() throws CudaException {
        int count = cuda.intOf(CudaCall.DEVICE_COUNT);
        List<CudaDevice> devices = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            int device = cuda.intOf(CudaCall.DEVICE, index);
            byte[] uuid = new byte[UUID_BYTES];
            cuda.call(CudaCall.DEVICE_UUID, uuid, device);
            ByteBuffer inOrder = ByteBuffer.wrap(uuid);
            devices.add(new JnaGpu(cuda, device, "GPU-" + new UUID(inOrder.getLong(), inOrder.getLong())));
        }
        return devices;
    }

    @Override
    public FabricMemory importMemory(FabricHandle handle, long bytes) throws CudaException {
        long memory = cuda.longOf(CudaCall.IMPORT, handle.bytes(), MemAllocationProp.FABRIC);
        return new JnaMemory(cuda, memory, bytes);
    }

    private record JnaGpu(CudaFunctions cuda, int device, String uuid) implements CudaDevice {

        @Override
        public boolean supportsFabricHandles() throws CudaException {
            return cuda.intOf(CudaCall.DEVICE_ATTRIBUTE, FABRIC_SUPPORTED, device) == 1;
        }

        @Override
        public int computeMode() throws CudaException {
            return cuda.intOf(CudaCall.DEVICE_ATTRIBUTE, COMPUTE_MODE, device);
        }

        @Override
        public FabricMemory allocate() throws CudaException {
            var properties = new MemAllocationProp();
            properties.location.setDevice(device);
            long bytes = cuda.longOf(CudaCall.GRANULARITY, properties, MINIMUM);
            return new JnaMemory(cuda, cuda.longOf(CudaCall.CREATE, bytes, properties, NO_FLAGS), bytes);
        }

        @Override
        public CudaContext retainContext() throws CudaException {
            long context = cuda.longOf(CudaCall.CONTEXT_RETAIN, device);
            try {
                cuda.call(CudaCall.CONTEXT_SET, CudaFunctions.pointer(context));
            } catch (CudaCallFailed failure) {
                throw cuda.after(failure, CudaCall.CONTEXT_RELEASE, device);
            }
            return () -> cuda.call(CudaCall.CONTEXT_RELEASE, device);
        }
    }

    private record JnaMemory(CudaFunctions cuda, long memory, long bytes) implements FabricMemory {

        @Override
        public FabricHandle export() throws CudaException {
            byte[] handle = new byte[FabricHandle.BYTES];
            cuda.call(CudaCall.EXPORT, handle, memory, MemAllocationProp.FABRIC, NO_FLAGS);
            return FabricHandle.of(handle);
        }

        @Override
        public MappedMemory map(CudaDevice device) throws CudaException {
            int ordinal = ((JnaGpu) device).device();
            long address = cuda.longOf(CudaCall.ADDRESS_RESERVE, bytes, 0L, 0L, NO_FLAGS);
            try {
                cuda.call(CudaCall.MAP, address, bytes, 0L, memory, NO_FLAGS);
            } catch (CudaCallFailed failure) {
                throw cuda.after(failure, CudaCall.ADDRESS_FREE, address, bytes);
            }
            try {
                var access = new MemAccessDesc();
                access.location.setDevice(ordinal);
                cuda.call(CudaCall.SET_ACCESS, address, bytes, access, 1L);
            } catch (CudaCallFailed failure) {
                cuda.after(failure, CudaCall.UNMAP, address, bytes);
                throw cuda.after(failure, CudaCall.ADDRESS_FREE, address, bytes);
            }
            return new JnaMapping(cuda, address, bytes);
        }

        @Override
        public void close() throws CudaException {
            cuda.call(CudaCall.RELEASE, memory);
        }
    }

    private record JnaMapping(CudaFunctions cuda, long address, long bytes) implements FabricMemory.MappedMemory {

        @Override
        public void write(byte[] written) throws CudaException {
            cuda.call(CudaCall.WRITE, address, written, (long) written.length);
            // A copy of a few bytes is asynchronous, and faults (Xid 31) if the memory is unmapped before it ends.
            // Reading the bytes back waits for its end.
            read(written.length);
        }

        @Override
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
