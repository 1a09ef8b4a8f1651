package io.imexagent.nvml.jna;

import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.List;
import java.util.OptionalLong;

/** {@code nvmlFieldValue_t}, one element of what {@code nvmlDeviceGetFieldValues} fills. */
final class FieldValueStruct {
    static final Field FIELD_ID = new Field("fieldId", 0, 4);
    static final Field SCOPE_ID = new Field("scopeId", 4, 4);
    static final Field TIMESTAMP = new Field("timestamp", 8, 8);
    static final Field LATENCY = new Field("latencyUsec", 16, 8);
    static final Field VALUE_TYPE = new Field("valueType", 24, 4);
    static final Field NVML_RETURN = new Field("nvmlReturn", 28, 4);
    static final Field VALUE = new Field("value", 32, 8);
    static final StructLayout LAYOUT = new StructLayout(
            "nvmlFieldValue_t", 40, List.of(FIELD_ID, SCOPE_ID, TIMESTAMP, LATENCY, VALUE_TYPE, NVML_RETURN, VALUE));

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
