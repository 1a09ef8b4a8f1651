package io.imexagent.nvml;

/** The driver's sum of a GPU's fabric health ({@code NVML_GPU_FABRIC_HEALTH_SUMMARY_*}). */
public sealed interface FabricHealthSummary {
    /** Returns NVML's number of the summary, 0 to 255. */
    int number();

    /** The summaries that have a name here. */
    enum Known implements FabricHealthSummary {
        NOT_SUPPORTED(0),
        HEALTHY(1),
        UNHEALTHY(2),
        LIMITED_CAPACITY(3);

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
     * A summary that has no name here.
     *
     * @param number NVML's number
     */
    record Unlisted(int number) implements FabricHealthSummary {}

    /** Returns the summary for a number. */
    static FabricHealthSummary of(int number) {
        for (Known known : Known.values()) {
            if (known.number == number) {
                return known;
            }
        }
        return new Unlisted(number);
    }
}
