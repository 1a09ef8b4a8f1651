package io.imexagent.nvml.jna;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.Clique;
import io.imexagent.nvml.FabricInfo.CliqueType;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.LongStream;

/**
 * A C struct of NVML as the header declares it, laid out by the rules of LP64 (x86-64 and aarch64 alike): its name, its
 * size, every field in order. A struct is the array of bytes that a native call fills.
 */
record StructLayout(String name, int bytes, List<StructField> fields) {
    StructLayout {
        fields = List.copyOf(fields);
    }

    /**
     * Lays out fields as C does: each at the next multiple of its alignment, and the whole aligned as the widest field.
     * They are declared as in the header, such as {@code char busId[32]}, with {@code int} for every field of four
     * bytes and {@code long} for every field of eight.
     */
    static StructLayout of(String name, String declared) {
        List<StructField> fields = new ArrayList<>();
        int end = 0;
        int widest = 1;
        for (String field : declared.split("; ", -1)) {
            String[] parts = field.split("[ \\[\\]]", -1);
            int size = parts[0].equals("char") ? Byte.BYTES : parts[0].equals("int") ? Integer.BYTES : Long.BYTES;
            int bytes = size * (parts.length > 2 ? Integer.parseInt(parts[2]) : 1);
            int offset = Math.ceilDiv(end, size) * size;
            fields.add(new StructField(parts[1], offset, bytes));
            end = offset + bytes;
            widest = Math.max(widest, size);
        }
        return new StructLayout(name, Math.ceilDiv(end, widest) * widest, fields);
    }

    /** A field with its name in the header, its first byte and its size. */
    record StructField(String name, int offset, int bytes) {
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

        /** Returns 16 bytes as an identifier, the most significant first. */
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

    /** Returns the bytes in the byte order of the driver's numbers. */
    static ByteBuffer view(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    byte[] zero() {
        return new byte[bytes];
    }

    /** Returns the field with a name, if the struct has it. */
    Optional<StructField> find(String field) {
        return fields.stream().filter(each -> each.name().equals(field)).findFirst();
    }

    StructField field(String field) {
        return find(field).orElseThrow();
    }

    /** Returns the number in the first field of a versioned struct (the header's NVML_STRUCT_VERSION). */
    int versioned(int version) {
        return bytes | (version << 24);
    }

    /** The struct {@code nvmlPciInfo_t} of {@code nvmlDeviceGetPciInfo_v3}. */
    static final class PciInfoStruct {
        static final StructLayout LAYOUT = of(
                "nvmlPciInfo_t",
                "char busIdLegacy[16]; int domain; int bus; int device; int pciDeviceId; int pciSubSystemId; char busId[32]");

        private PciInfoStruct() {}

        /** Returns the address in the kernel's notation, with function 0. */
        static String address(byte[] struct) {
            HexFormat hex = HexFormat.of();
            String domain = hex.toHexDigits(LAYOUT.field("domain").unsignedInt(struct), 8);
            return (domain.startsWith("0000") ? domain.substring(4) : domain)
                    + ":" + hex.toHexDigits(LAYOUT.field("bus").unsignedInt(struct), 2)
                    + ":" + hex.toHexDigits(LAYOUT.field("device").unsignedInt(struct), 2) + ".0";
        }
    }

    /** The struct {@code nvmlEventData_t} of {@code nvmlEventSetWait_v2}. */
    static final class EventDataStruct {
        static final StructLayout LAYOUT = of(
                "nvmlEventData_t",
                "long device; long eventType; long eventData; int gpuInstanceId; int computeInstanceId");
        static final StructField DEVICE = LAYOUT.field("device");
        static final StructField EVENT_TYPE = LAYOUT.field("eventType");
        static final StructField EVENT_DATA = LAYOUT.field("eventData");

        private EventDataStruct() {}
    }

    /** The struct {@code nvmlMemory_t} of {@code nvmlDeviceGetMemoryInfo}, in bytes. */
    static final StructLayout MEMORY = of("nvmlMemory_t", "long total; long free; long used");

    /** The struct {@code nvmlFieldValue_t}, one element of the array of {@code nvmlDeviceGetFieldValues}. */
    static final class FieldValueStruct {
        static final StructLayout LAYOUT = of(
                "nvmlFieldValue_t",
                "int fieldId; int scopeId; long timestamp; long latencyUsec; int valueType; int nvmlReturn; long value");
        static final StructField VALUE_TYPE = LAYOUT.field("valueType");
        static final StructField NVML_RETURN = LAYOUT.field("nvmlReturn");

        private static final StructField VALUE = LAYOUT.field("value");

        /** The field {@code NVML_FI_DEV_GET_GPU_RECOVERY_ACTION}. */
        static final int GPU_RECOVERY_ACTION = 230;

        // nvmlValueType_t; no field that is read here is of type 0, a double, or 6, a short.
        private static final int UNSIGNED_INT = 1;
        private static final int UNSIGNED_LONG = 2;
        private static final int UNSIGNED_LONG_LONG = 3;
        private static final int SIGNED_LONG_LONG = 4;
        private static final int SIGNED_INT = 5;

        private FieldValueStruct() {}

        static byte[] request(int fieldId) {
            return LAYOUT.field("fieldId").with(LAYOUT.zero(), fieldId);
        }

        /** Returns the value of an integer field; empty if the driver returned another type. */
        static OptionalLong wholeNumber(byte[] struct) {
            return switch (VALUE_TYPE.signedInt(struct)) {
                case UNSIGNED_INT -> OptionalLong.of(VALUE.unsignedInt(struct));
                case SIGNED_INT -> OptionalLong.of(VALUE.signedInt(struct));
                case UNSIGNED_LONG, UNSIGNED_LONG_LONG, SIGNED_LONG_LONG -> OptionalLong.of(VALUE.signedLong(struct));
                default -> OptionalLong.empty();
            };
        }
    }

    /**
     * The struct {@code nvmlGpuFabricInfo_t}, version 0 here, or one of its versioned successors, each with the fields
     * of its predecessor.
     */
    record FabricInfoStruct(StructLayout layout, NvmlCall call, int version) {
        private static final String MEMBERSHIP = "char clusterUuid[16]; int status; int cliqueId; char state";

        /** The struct of {@code nvmlDeviceGetGpuFabricInfo}, without health. */
        static final FabricInfoStruct V1 =
                new FabricInfoStruct(of("nvmlGpuFabricInfo_t", MEMBERSHIP), NvmlCall.FABRIC_INFO, 0);

        /** The struct of {@code nvmlDeviceGetGpuFabricInfoV}, which adds the health mask. */
        static final FabricInfoStruct V2 = new FabricInfoStruct(
                of("nvmlGpuFabricInfo_v2_t", "int version; " + MEMBERSHIP + "; int healthMask"),
                NvmlCall.FABRIC_INFO_V,
                2);

        static final FabricInfoStruct V3 = new FabricInfoStruct(
                of("nvmlGpuFabricInfo_v3_t", "int version; " + MEMBERSHIP + "; int healthMask; char healthSummary"),
                NvmlCall.FABRIC_INFO_V,
                3);

        static final List<FabricInfoStruct> NEWEST_FIRST = List.of(V3, V2, V1);

        /** A clique in the struct of version 4. */
        static final StructLayout CLIQUE = of("nvmlGpuFabricClique_v1_t", "char type; int id");

        /** The struct of {@code nvmlDeviceGetGpuFabricInfo_v4}: 64 typed cliques, two ints each, and no version. */
        static final StructLayout V4 = of(
                "nvmlGpuFabricInfo_v4_t",
                "char clusterUuid[16]; int status; int cliques[128]; int numCliques; char state; int healthMask;"
                        + " char healthSummary");

        private static final int ROOM = 4096;
        private static final byte UNTOUCHED = (byte) 0xa5;

        /**
         * Returns the buffer for a call of version 4, which contains neither size nor version: zeros, with extra room
         * after the struct for a driver with a larger one, since no header of a driver with this call was available.
         */
        static byte[] roomForV4() {
            byte[] room = new byte[ROOM];
            Arrays.fill(room, V4.bytes(), ROOM, UNTOUCHED);
            return room;
        }

        /** Returns the struct of version 4 in this buffer; empty if the driver wrote after it, into a larger struct. */
        static Optional<byte[]> v4Within(byte[] room) {
            for (int at = V4.bytes(); at < room.length; at++) {
                if (room[at] != UNTOUCHED) {
                    return Optional.empty();
                }
            }
            return Optional.of(Arrays.copyOf(room, V4.bytes()));
        }

        /** Decodes the typed cliques of version 4; a count that exceeds the room means that the room is full. */
        static List<Clique> cliques(byte[] struct) {
            StructField room = V4.field("cliques");
            long count = Math.min(V4.field("numCliques").unsignedInt(struct), room.bytes() / CLIQUE.bytes());
            return LongStream.range(0, count)
                    .mapToInt(index -> room.offset() + Math.toIntExact(index) * CLIQUE.bytes())
                    .mapToObj(start -> Arrays.copyOfRange(struct, start, start + CLIQUE.bytes()))
                    .map(entry -> new Clique(
                            Numbered.of(CLIQUE.field("type").unsignedByte(entry), CliqueType.values()),
                            CLIQUE.field("id").unsignedInt(entry)))
                    .toList();
        }

        /** Returns the struct for the call to the driver: zeros, and the version if the struct has one. */
        byte[] request() {
            return version == 0
                    ? layout.zero()
                    : layout.field("version").with(layout.zero(), layout.versioned(version));
        }

        /** Decodes a driver's struct, as long as {@link #request()}; all values of the bytes are valid. */
        FabricInfo decode(byte[] struct) {
            return new FabricInfo(
                    Numbered.of(layout.field("state").unsignedByte(struct), FabricState.values()),
                    Numbered.of(layout.field("status").signedInt(struct), NvmlReturn.values()),
                    layout.field("clusterUuid").uuid(struct),
                    layout.field("cliqueId").unsignedInt(struct),
                    layout.find("healthMask").map(mask -> new FabricHealth(mask.signedInt(struct))),
                    layout.find("healthSummary")
                            .map(sum -> Numbered.of(sum.unsignedByte(struct), HealthSummary.values())),
                    List.of());
        }
    }
}
