package io.imexagent.nvml.jna;

import io.imexagent.nvml.jna.StructLayout.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The bytes of one struct, read and written by the fields of its layout. */
final class StructBytes {
    private final byte[] bytes;
    private final ByteBuffer buffer;

    private StructBytes(byte[] bytes) {
        this.bytes = bytes;
        this.buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** Returns a struct of zeros. */
    static StructBytes zero(StructLayout layout) {
        return new StructBytes(new byte[layout.bytes()]);
    }

    /**
     * Returns a view of bytes as a struct.
     *
     * @throws IllegalArgumentException if they are not as many as the struct has
     */
    static StructBytes of(StructLayout layout, byte[] bytes) {
        if (bytes.length != layout.bytes()) {
            throw new IllegalArgumentException(
                    layout.name() + " has " + layout.bytes() + " bytes, not " + bytes.length);
        }
        return new StructBytes(bytes);
    }

    /** Returns the bytes themselves, for a native call to fill. */
    byte[] array() {
        return bytes;
    }

    int unsignedByte(Field field) {
        return Byte.toUnsignedInt(buffer.get(field.offset()));
    }

    int signedInt(Field field) {
        return buffer.getInt(field.offset());
    }

    long unsignedInt(Field field) {
        return Integer.toUnsignedLong(buffer.getInt(field.offset()));
    }

    long signedLong(Field field) {
        return buffer.getLong(field.offset());
    }

    /** Returns 16 bytes as an identifier, the first of them highest. */
    UUID uuid(Field field) {
        ByteBuffer inOrder = ByteBuffer.wrap(bytes, field.offset(), field.bytes());
        return new UUID(inOrder.getLong(), inOrder.getLong());
    }

    StructBytes putInt(Field field, int value) {
        buffer.putInt(field.offset(), value);
        return this;
    }

    /** Returns a C string: up to its NUL, or all of the bytes where there is none. */
    static String text(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
