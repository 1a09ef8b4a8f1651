package io.imexagent.nvml;

/** A form in which drivers tell about the fabric, oldest first. */
public enum FabricInfoVersion {
    /** {@code nvmlDeviceGetGpuFabricInfo}: no health. */
    V1,
    /** {@code nvmlDeviceGetGpuFabricInfoV} with struct version 2: adds the health mask. */
    V2,
    /** {@code nvmlDeviceGetGpuFabricInfoV} with struct version 3: adds the health summary. */
    V3
}
