package io.imexagent.nvml;

/** A result of an NVML call ({@code nvmlReturn_t}). */
public enum NvmlReturn implements Numbered.Name {
    SUCCESS(0),
    UNINITIALIZED(1),
    INVALID_ARGUMENT(2),
    NOT_SUPPORTED(3),
    NO_PERMISSION(4),
    NOT_FOUND(6),
    INSUFFICIENT_SIZE(7),
    DRIVER_NOT_LOADED(9),
    TIMEOUT(10),
    LIBRARY_NOT_FOUND(12),
    /** The library lacks the function; also given when its symbol cannot be resolved. */
    FUNCTION_NOT_FOUND(13),
    GPU_IS_LOST(15),
    RESET_REQUIRED(16),
    OPERATING_SYSTEM(17),
    /** The kernel driver and the library are of different versions. */
    LIB_RM_VERSION_MISMATCH(18),
    MEMORY(20),
    /** The library does not know the version of a struct that it was handed. */
    ARGUMENT_VERSION_MISMATCH(25),
    NOT_READY(27),
    UNKNOWN(999);

    private final long number;

    NvmlReturn(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
