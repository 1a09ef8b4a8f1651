package io.imexagent.nvml.jna;

import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.List;

/** {@code nvmlEventData_t}, as {@code nvmlEventSetWait_v2} fills it. */
final class EventDataStruct {
    static final Field DEVICE = new Field("device", 0, 8);
    static final Field EVENT_TYPE = new Field("eventType", 8, 8);
    static final Field EVENT_DATA = new Field("eventData", 16, 8);
    static final Field GPU_INSTANCE_ID = new Field("gpuInstanceId", 24, 4);
    static final Field COMPUTE_INSTANCE_ID = new Field("computeInstanceId", 28, 4);
    static final StructLayout LAYOUT = new StructLayout(
            "nvmlEventData_t", 32, List.of(DEVICE, EVENT_TYPE, EVENT_DATA, GPU_INSTANCE_ID, COMPUTE_INSTANCE_ID));

    private EventDataStruct() {}
}
