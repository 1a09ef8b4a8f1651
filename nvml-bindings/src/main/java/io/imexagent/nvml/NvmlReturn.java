package io.imexagent.nvml;

import java.util.Optional;

/** A result of an NVML call ({@code nvmlReturn_t}), with its text by {@code nvmlErrorString}. */
public enum NvmlReturn implements Numbered.NvmlConstant {
    SUCCESS(0, "Success"),
    UNINITIALIZED(1, "Uninitialized"),
    INVALID_ARGUMENT(2, "Invalid Argument"),
    NOT_SUPPORTED(3, "Not Supported"),
    NO_PERMISSION(4, "Insufficient Permissions"),
    ALREADY_INITIALIZED(5, "Already Initialized"),
    NOT_FOUND(6, "Not Found"),
    INSUFFICIENT_SIZE(7, "Insufficient Size"),
    INSUFFICIENT_POWER(8, "Insufficient External Power"),
    DRIVER_NOT_LOADED(9, "Driver Not Loaded"),
    TIMEOUT(10, "Timeout"),
    IRQ_ISSUE(11, "Interrupt Request Issue"),
    LIBRARY_NOT_FOUND(12, "NVML Shared Library Not Found"),
    /** The library lacks the function; also returned if its symbol cannot be resolved. */
    FUNCTION_NOT_FOUND(13, "Function Not Found"),
    CORRUPTED_INFOROM(14, "Corrupted infoROM"),
    GPU_IS_LOST(15, "GPU is lost"),
    RESET_REQUIRED(16, "GPU requires reset"),
    OPERATING_SYSTEM(17, "The operating system has blocked the request"),
    /** The kernel driver and the library are of different versions. */
    LIB_RM_VERSION_MISMATCH(18, "Driver/library version mismatch"),
    IN_USE(19, "In use by another client"),
    MEMORY(20, "Insufficient Memory"),
    NO_DATA(21, "No data"),
    VGPU_ECC_NOT_SUPPORTED(22, "The requested vGPU operation is not available, because ECC is enabled"),
    INSUFFICIENT_RESOURCES(23, "Insufficient Resources"),
    FREQ_NOT_SUPPORTED(24, "Frequency Not Supported"),
    /** The library does not support the version of a struct in the call. */
    ARGUMENT_VERSION_MISMATCH(25, "Argument Version Mismatch"),
    DEPRECATED(26, "Deprecated"),
    NOT_READY(27, "Not Ready"),
    GPU_NOT_FOUND(28, "GPU Not Found"),
    INVALID_STATE(29, "Invalid State"),
    RESET_TYPE_NOT_SUPPORTED(30, "Reset Type Not Supported"),
    UNKNOWN(999, "Unknown Error");

    private final long number;
    private final String words;

    NvmlReturn(long number, String words) {
        this.number = number;
        this.words = words;
    }

    @Override
    public long number() {
        return number;
    }

    /**
     * Returns the text of a result with its number: {@code Insufficient Resources (23)}. The text is the library's, or
     * otherwise that of this enum; a number for which neither has a text is {@code nvmlReturn_t 77}. A library has the
     * text "Unknown Error" for each number that it does not know.
     */
    public static String words(Numbered<NvmlReturn> result, Optional<String> library) {
        return library.map(String::strip)
                .filter(text -> !text.isEmpty() && (!text.equals(UNKNOWN.words) || result.is(UNKNOWN)))
                .or(() -> result.name().map(name -> name.words))
                .map(text -> text + " (" + result.number() + ")")
                .orElseGet(() -> "nvmlReturn_t " + result.number());
    }
}
