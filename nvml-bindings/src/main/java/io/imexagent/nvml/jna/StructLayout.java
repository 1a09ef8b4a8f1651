package io.imexagent.nvml.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;

/**
 * The layout of a C struct of NVML on LP64 (x86-64 and aarch64 alike): its name in the header, its size, every field in
 * order. A struct is the array of bytes that a native call fills.
 */
record StructLayout(String name, int bytes, List<Field> fields) {
    StructLayout {
        fields = List.copyOf(fields);
    }

    /** A field, as the header calls it, with its first byte and its size. */
    record Field(String name, int offset, int bytes) {
        int unsignedByte(byte[] struct) {
            return Byte.toUnsignedInt(struct[offset]);
        }

        int signedInt(byte[] struct) {
            return view(struct).getInt(offset);
        }

        long unsignedInt(byte[] struct) {
            return Integer.toUnsignedLong(signedInt(struct));
        }

        long signedLong(byte[] struct) {
            return view(struct).getLong(offset);
        }

        /** Returns 16 bytes as an identifier, the first of them highest. */
        UUID uuid(byte[] struct) {
            ByteBuffer inOrder = ByteBuffer.wrap(struct, offset, bytes);
            return new UUID(inOrder.getLong(), inOrder.getLong());
        }

        /** Writes a number into a struct, and returns the struct. */
        byte[] with(byte[] struct, int value) {
            view(struct).putInt(offset, value);
            return struct;
        }
    }

    /** Returns bytes as the driver reads and writes numbers in them. */
    static ByteBuffer view(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    byte[] zero() {
        return new byte[bytes];
    }

    /** Returns these bytes, which must be as many as the struct has. */
    byte[] of(byte[] struct) {
        if (struct.length != bytes) {
            throw new IllegalArgumentException(name + " has " + bytes + " bytes, not " + struct.length);
        }
        return struct;
    }

    /** Returns the number that a versioned struct carries in its first field (the header's NVML_STRUCT_VERSION). */
    int versioned(int version) {
        return bytes | (version << 24);
    }
}
