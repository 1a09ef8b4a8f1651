package io.imexagent.nvml;

/** The driver's sum of a GPU's fabric health ({@code NVML_GPU_FABRIC_HEALTH_SUMMARY_*}). */
public enum FabricHealthSummary implements Numbered.Name {
    NOT_SUPPORTED,
    HEALTHY,
    UNHEALTHY,
    LIMITED_CAPACITY
}
