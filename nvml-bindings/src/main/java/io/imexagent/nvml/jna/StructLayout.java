package io.imexagent.nvml.jna;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;

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

    /** Returns the number that a versioned struct carries in its first field (the header's NVML_STRUCT_VERSION). */
    int versioned(int version) {
        return bytes | (version << 24);
    }

    /** {@code nvmlPciInfo_t}, as {@code nvmlDeviceGetPciInfo_v3} fills it. */
    static final class PciInfoStruct {
        static final Field BUS_ID_LEGACY = new Field("busIdLegacy", 0, 16);
        static final Field DOMAIN = new Field("domain", 16, 4);
        static final Field BUS = new Field("bus", 20, 4);
        static final Field DEVICE = new Field("device", 24, 4);
        static final Field PCI_DEVICE_ID = new Field("pciDeviceId", 28, 4);
        static final Field PCI_SUB_SYSTEM_ID = new Field("pciSubSystemId", 32, 4);
        static final Field BUS_ID = new Field("busId", 36, 32);
        static final StructLayout LAYOUT = new StructLayout(
                "nvmlPciInfo_t",
                68,
                List.of(BUS_ID_LEGACY, DOMAIN, BUS, DEVICE, PCI_DEVICE_ID, PCI_SUB_SYSTEM_ID, BUS_ID));

        private PciInfoStruct() {}

        /** Returns the address as the kernel writes it, of the function 0. */
        static String address(byte[] struct) {
            HexFormat hex = HexFormat.of();
            String domain = hex.toHexDigits(DOMAIN.unsignedInt(struct), 8);
            return (domain.startsWith("0000") ? domain.substring(4) : domain)
                    + ":" + hex.toHexDigits(BUS.unsignedInt(struct), 2)
                    + ":" + hex.toHexDigits(DEVICE.unsignedInt(struct), 2) + ".0";
        }
    }

    /** {@code nvmlEventData_t}, as {@code nvmlEventSetWait_v2} fills it. */
    static final class EventDataStruct {
        static final Field DEVICE = new Field("device", 0, 8);
        static final Field EVENT_TYPE = new Field("eventType", 8, 8);
        static final Field EVENT_DATA = new Field("eventData", 16, 8);
        static final Field GPU_INSTANCE_ID = new Field("gpuInstanceId", 24, 4);
        static final Field COMPUTE_INSTANCE_ID = new Field("computeInstanceId", 28, 4);
        static final StructLayout LAYOUT = new StructLayout(
                "nvmlEventData_t", 32, List.of(DEVICE, EVENT_TYPE, EVENT_DATA, GPU_INSTANCE_ID, COMPUTE_INSTANCE_ID));

        private EventDataStruct() {}
    }

    /** {@code nvmlFieldValue_t}, one element of what {@code nvmlDeviceGetFieldValues} fills. */
    static final class FieldValueStruct {
        static final Field FIELD_ID = new Field("fieldId", 0, 4);
        static final Field SCOPE_ID = new Field("scopeId", 4, 4);
        static final Field TIMESTAMP = new Field("timestamp", 8, 8);
        static final Field LATENCY = new Field("latencyUsec", 16, 8);
        static final Field VALUE_TYPE = new Field("valueType", 24, 4);
        static final Field NVML_RETURN = new Field("nvmlReturn", 28, 4);
        static final Field VALUE = new Field("value", 32, 8);
        static final StructLayout LAYOUT = new StructLayout(
                "nvmlFieldValue_t",
                40,
                List.of(FIELD_ID, SCOPE_ID, TIMESTAMP, LATENCY, VALUE_TYPE, NVML_RETURN, VALUE));

        /** {@code NVML_FI_DEV_GET_GPU_RECOVERY_ACTION}. */
        static final int GPU_RECOVERY_ACTION = 230;

        // nvmlValueType_t; 0 is a double and 6 a short, in which no field that is read here comes.
        private static final int UNSIGNED_INT = 1;
        private static final int UNSIGNED_LONG = 2;
        private static final int UNSIGNED_LONG_LONG = 3;
        private static final int SIGNED_LONG_LONG = 4;
        private static final int SIGNED_INT = 5;

        private FieldValueStruct() {}

        static byte[] request(int fieldId) {
            return FIELD_ID.with(LAYOUT.zero(), fieldId);
        }

        /** Returns the value of a whole-numbered field; empty when the driver gave it in a type of another kind. */
        static OptionalLong wholeNumber(byte[] struct) {
            return switch (VALUE_TYPE.signedInt(struct)) {
                case UNSIGNED_INT -> OptionalLong.of(VALUE.unsignedInt(struct));
                case SIGNED_INT -> OptionalLong.of(VALUE.signedInt(struct));
                case UNSIGNED_LONG, UNSIGNED_LONG_LONG, SIGNED_LONG_LONG -> OptionalLong.of(VALUE.signedLong(struct));
                default -> OptionalLong.empty();
            };
        }
    }

    /** {@code nvmlGpuFabricInfo_t}, of version 0 here, and its versioned successors, each with the fields of the one before. */
    record FabricInfoStruct(StructLayout layout, NvmlCall call, int version) {
        /** Of {@code nvmlDeviceGetGpuFabricInfo}; no health. */
        static final FabricInfoStruct V1 = new FabricInfoStruct(
                new StructLayout("nvmlGpuFabricInfo_t", 28, membership(0)), NvmlCall.FABRIC_INFO, 0);

        private static final Field VERSION = new Field("version", 0, 4);
        private static final Field HEALTH_MASK = new Field("healthMask", 32, 4);
        private static final Field HEALTH_SUMMARY = new Field("healthSummary", 36, 1);

        /** Of {@code nvmlDeviceGetGpuFabricInfoV}: adds the health mask. */
        static final FabricInfoStruct V2 = versioned("nvmlGpuFabricInfo_v2_t", 2, 36, HEALTH_MASK);

        static final FabricInfoStruct V3 = versioned("nvmlGpuFabricInfo_v3_t", 3, 40, HEALTH_MASK, HEALTH_SUMMARY);

        static final List<FabricInfoStruct> NEWEST_FIRST = List.of(V3, V2, V1);

        private static FabricInfoStruct versioned(String name, int version, int bytes, Field... health) {
            List<Field> fields = Stream.of(Stream.of(VERSION), membership(VERSION.bytes()).stream(), Stream.of(health))
                    .flatMap(each -> each)
                    .toList();
            return new FabricInfoStruct(new StructLayout(name, bytes, fields), NvmlCall.FABRIC_INFO_V, version);
        }

        private static List<Field> membership(int start) {
            return List.of(
                    new Field("clusterUuid", start, 16),
                    new Field("status", start + 16, 4),
                    new Field("cliqueId", start + 20, 4),
                    new Field("state", start + 24, 1));
        }

        /** Returns the struct to hand to the driver: zeros, and the version where the struct has one. */
        byte[] request() {
            return version == 0 ? layout.zero() : VERSION.with(layout.zero(), layout.versioned(version));
        }

        /** Decodes what a driver filled in; any bytes have a meaning, as many as {@link #request()} has. */
        FabricInfo decode(byte[] struct) {
            List<Field> membership = membership(version == 0 ? 0 : VERSION.bytes());
            return new FabricInfo(
                    Numbered.of(membership.get(3).unsignedByte(struct), FabricState.values()),
                    Numbered.of(membership.get(1).signedInt(struct), NvmlReturn.values()),
                    membership.get(0).uuid(struct),
                    membership.get(2).unsignedInt(struct),
                    version < 2 ? Optional.empty() : Optional.of(new FabricHealth(HEALTH_MASK.signedInt(struct))),
                    version < 3
                            ? Optional.empty()
                            : Optional.of(Numbered.of(HEALTH_SUMMARY.unsignedByte(struct), HealthSummary.values())));
        }
    }
}
