package io.imexagent.nvml.jna;

import java.util.List;

/**
 * The layout of a C struct of NVML on LP64 (x86-64 and aarch64 alike).
 *
 * @param name the struct, as the header calls it
 * @param bytes its size
 * @param fields every field of it, in order
 */
record StructLayout(String name, int bytes, List<Field> fields) {
    StructLayout {
        fields = List.copyOf(fields);
    }

    /**
     * A field of a struct.
     *
     * @param name the field, as the header calls it
     * @param offset its first byte
     * @param bytes its size
     */
    record Field(String name, int offset, int bytes) {}

    /** Returns the number that a versioned struct carries in its first field (the header's NVML_STRUCT_VERSION). */
    int versioned(int version) {
        return bytes | (version << 24);
    }
}
