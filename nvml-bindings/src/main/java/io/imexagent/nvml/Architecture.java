package io.imexagent.nvml;

/** A generation of GPUs ({@code nvmlDeviceArchitecture_t}). */
public sealed interface Architecture {
    /** Returns NVML's number of the generation, unsigned 32 bits. */
    long number();

    /** The generations that IMEX hardware belongs to. */
    enum Known implements Architecture {
        HOPPER(9),
        BLACKWELL(10),
        RUBIN(13);

        private final long number;

        Known(long number) {
            this.number = number;
        }

        @Override
        public long number() {
            return number;
        }
    }

    /**
     * Any other generation.
     *
     * @param number NVML's number, 0 to 2³² − 1
     */
    record Unlisted(long number) implements Architecture {}

    /** Returns the generation for a number. */
    static Architecture of(long number) {
        for (Known known : Known.values()) {
            if (known.number == number) {
                return known;
            }
        }
        return new Unlisted(number);
    }
}
