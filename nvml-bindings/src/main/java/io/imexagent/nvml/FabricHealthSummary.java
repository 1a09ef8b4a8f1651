package io.imexagent.nvml;

/** The driver's sum of a GPU's fabric health ({@code NVML_GPU_FABRIC_HEALTH_SUMMARY_*}). */
public enum FabricHealthSummary implements Numbered.Name {
    NOT_SUPPORTED(0),
    HEALTHY(1),
    UNHEALTHY(2),
    LIMITED_CAPACITY(3);

    private final long number;

    FabricHealthSummary(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
