package io.imexagent.fabric.cuda.jna;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;

/** The structs of cuda.h that calls pass, with its declarations; fields that no call needs are 0. */
final class CudaStructs {

    private CudaStructs() {}

    /** {@code CUmemLocation}: 8 bytes, a device by its ordinal. */
    @FieldOrder({"type", "id"})
    public static class MemLocation extends Structure {
        /** {@code CU_MEM_LOCATION_TYPE_DEVICE}. */
        private static final int DEVICE = 1;

        public int type = DEVICE;
        public int id;
    }

    /** The anonymous struct {@code allocFlags} of {@code CUmemAllocationProp}: 8 bytes. */
    @FieldOrder({"compressionType", "gpuDirectRDMACapable", "usage", "reserved"})
    public static class AllocFlags extends Structure {
        public byte compressionType;
        public byte gpuDirectRDMACapable;
        public short usage;
        public byte[] reserved = new byte[4];
    }

    /** {@code CUmemAllocationProp}: 32 bytes, of pinned memory that is exported as fabric handles. */
    @FieldOrder({"type", "requestedHandleTypes", "location", "win32HandleMetaData", "allocFlags"})
    public static class MemAllocationProp extends Structure {
        /** {@code CU_MEM_ALLOCATION_TYPE_PINNED}. */
        private static final int PINNED = 1;

        /** {@code CU_MEM_HANDLE_TYPE_FABRIC}. */
        static final int FABRIC = 8;

        public int type = PINNED;
        public int requestedHandleTypes = FABRIC;
        public MemLocation location = new MemLocation();
        public Pointer win32HandleMetaData = Pointer.NULL;
        public AllocFlags allocFlags = new AllocFlags();
    }

    /** {@code CUmemAccessDesc}: 12 bytes, for reading and writing. */
    @FieldOrder({"location", "flags"})
    public static class MemAccessDesc extends Structure {
        /** {@code CU_MEM_ACCESS_FLAGS_PROT_READWRITE}. */
        private static final int READ_WRITE = 3;

        public MemLocation location = new MemLocation();
        public int flags = READ_WRITE;
    }
}
