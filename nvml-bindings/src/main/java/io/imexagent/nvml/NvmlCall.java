package io.imexagent.nvml;

/** A function of {@code libnvidia-ml.so.1} that this project calls, by the exact symbol that is bound. */
public enum NvmlCall {
    INIT("nvmlInitWithFlags"),
    SHUTDOWN("nvmlShutdown"),
    ERROR_STRING("nvmlErrorString"),
    DRIVER_VERSION("nvmlSystemGetDriverVersion"),
    NVML_VERSION("nvmlSystemGetNVMLVersion"),
    DEVICE_COUNT("nvmlDeviceGetCount_v2"),
    DEVICE_HANDLE("nvmlDeviceGetHandleByIndex_v2"),
    NAME("nvmlDeviceGetName"),
    UUID("nvmlDeviceGetUUID"),
    PCI_INFO("nvmlDeviceGetPciInfo_v3"),
    FABRIC_INFO_V4("nvmlDeviceGetGpuFabricInfo_v4"),
    FABRIC_INFO_V("nvmlDeviceGetGpuFabricInfoV"),
    FABRIC_INFO("nvmlDeviceGetGpuFabricInfo"),
    MEMORY_INFO("nvmlDeviceGetMemoryInfo"),
    MIG_MODE("nvmlDeviceGetMigMode"),
    FIELD_VALUES("nvmlDeviceGetFieldValues"),
    EVENT_SET_CREATE("nvmlEventSetCreate"),
    REGISTER_EVENTS("nvmlDeviceRegisterEvents"),
    EVENT_SET_WAIT("nvmlEventSetWait_v2"),
    EVENT_SET_FREE("nvmlEventSetFree");

    private final String symbol;

    NvmlCall(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
