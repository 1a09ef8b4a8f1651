package io.imexagent.nvml;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The identifier of an NVLink fabric: 16 bytes that the fabric manager hands to every GPU of it.
 *
 * @param high bytes 0 to 7, the first one highest
 * @param low bytes 8 to 15
 */
public record ClusterUuid(long high, long low) {
    /** The number of bytes. */
    public static final int BYTES = 16;

    /** All zero: the GPU is in no fabric. */
    public static final ClusterUuid ZERO = new ClusterUuid(0, 0);

    /**
     * Returns the identifier for bytes in the order in which NVML gives them.
     *
     * @throws IllegalArgumentException if there are not 16 of them
     */
    public static ClusterUuid of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a cluster UUID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new ClusterUuid(buffer.getLong(), buffer.getLong());
    }

    /**
     * Returns the identifier for its RFC 4122 text.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static ClusterUuid parse(String text) {
        UUID uuid = UUID.fromString(text);
        return new ClusterUuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /** Returns the 16 bytes in order, in a new array. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }

    /** Tells whether all bytes are zero, which means that the GPU is in no fabric. */
    public boolean isZero() {
        return equals(ZERO);
    }

    /** Returns the lower-case RFC 4122 text of the bytes in order. */
    @Override
    public String toString() {
        return new UUID(high, low).toString();
    }
}
