package io.imexagent.fabric.cuda;

import java.util.Arrays;
import java.util.Optional;

/** A function of {@code libcuda.so.1} that this project calls, by the exact symbol that is bound (cuda.h). */
public enum CudaCall {
    INIT("cuInit"),
    ERROR_NAME("cuGetErrorName"),
    DEVICE_COUNT("cuDeviceGetCount"),
    DEVICE("cuDeviceGet"),
    DEVICE_UUID("cuDeviceGetUuid_v2"),
    DEVICE_ATTRIBUTE("cuDeviceGetAttribute"),
    GRANULARITY("cuMemGetAllocationGranularity"),
    CREATE("cuMemCreate"),
    EXPORT("cuMemExportToShareableHandle"),
    IMPORT("cuMemImportFromShareableHandle"),
    RELEASE("cuMemRelease"),
    ADDRESS_RESERVE("cuMemAddressReserve"),
    ADDRESS_FREE("cuMemAddressFree"),
    MAP("cuMemMap"),
    UNMAP("cuMemUnmap"),
    SET_ACCESS("cuMemSetAccess"),
    CONTEXT_RETAIN("cuDevicePrimaryCtxRetain"),
    CONTEXT_RELEASE("cuDevicePrimaryCtxRelease_v2"),
    CONTEXT_SET("cuCtxSetCurrent"),
    WRITE("cuMemcpyHtoD_v2"),
    READ("cuMemcpyDtoH_v2");

    private final String symbol;

    CudaCall(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }

    /** Returns the call with this symbol, or empty. */
    public static Optional<CudaCall> of(String symbol) {
        return Arrays.stream(values())
                .filter(call -> call.symbol.equals(symbol))
                .findFirst();
    }
}
