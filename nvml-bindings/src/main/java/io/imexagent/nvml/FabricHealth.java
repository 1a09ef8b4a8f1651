package io.imexagent.nvml;

/**
 * The health of a GPU's place in the fabric, as the 32 bits of {@code healthMask} ({@code NVML_GPU_FABRIC_HEALTH_MASK_*}):
 * 0x1AA is healthy, 0x11AA healthy with a partition.
 */
public record FabricHealth(int mask) {
    public HealthFlag flag(Statement statement) {
        return HealthFlag.values()[(mask >>> statement.shift) & 0b11];
    }

    /** Returns the fault of the configuration, if there is one. */
    public Numbered<IncorrectConfiguration> incorrectConfiguration() {
        return Numbered.of((mask >>> 8) & 0b1111, IncorrectConfiguration.values());
    }

    /** A statement in two bits of the mask, of which {@code shift} is the lower. */
    public enum Statement {
        DEGRADED_BANDWIDTH(0),
        ROUTE_RECOVERY(2),
        ROUTE_UNHEALTHY(4),
        /** The GPU recovers from an access that timed out. */
        ACCESS_TIMEOUT_RECOVERY(6),
        /** The GPU was given a partition of the fabric. */
        PARTITION_ASSIGNED(12),
        /** The global fabric manager is connected; from driver 615 on. */
        FABRIC_MANAGER_CONNECTED(14);

        private final int shift;

        Statement(int shift) {
            this.shift = shift;
        }
    }

    /** The value of a statement, by its number. */
    public enum HealthFlag {
        NOT_SUPPORTED,
        YES,
        NO,
        /** The one value that NVML does not define. */
        UNDEFINED
    }

    /** A fault of the fabric's configuration ({@code NVML_GPU_FABRIC_HEALTH_MASK_INCORRECT_CONFIGURATION_*}). */
    public enum IncorrectConfiguration implements Numbered.NvmlConstant {
        NOT_SUPPORTED,
        NONE,
        SYSTEM_GUID,
        CHASSIS_SERIAL,
        NO_PARTITION,
        TOO_FEW_NVLINKS,
        INCOMPATIBLE_FIRMWARE,
        INVALID_LOCATION,
        GPU_STATE
    }
}
