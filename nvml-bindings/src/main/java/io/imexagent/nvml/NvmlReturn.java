package io.imexagent.nvml;

/** A result of an NVML call ({@code nvmlReturn_t}). */
public sealed interface NvmlReturn {
    /** Returns the number that NVML gave. */
    int number();

    /** The results that have a name here. */
    enum Known implements NvmlReturn {
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

        private static final Known[] ALL = values();

        private final int number;

        Known(int number) {
            this.number = number;
        }

        @Override
        public int number() {
            return number;
        }
    }

    /**
     * A result that has no name here, for instance one of a newer driver.
     *
     * @param number the number that NVML gave
     */
    record Unlisted(int number) implements NvmlReturn {
        @Override
        public String toString() {
            return "UNLISTED_" + number;
        }
    }

    /** Returns the result for a number. */
    static NvmlReturn of(int number) {
        for (Known known : Known.ALL) {
            if (known.number == number) {
                return known;
            }
        }
        return new Unlisted(number);
    }
}
