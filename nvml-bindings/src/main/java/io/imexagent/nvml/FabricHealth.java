package io.imexagent.nvml;

/**
 * The health of a GPU's place in the fabric, as the 32 bits of {@code healthMask} ({@code NVML_GPU_FABRIC_HEALTH_MASK_*}):
 * 0x1AA is healthy, 0x11AA healthy with a partition.
 */
public record FabricHealth(int mask) {
    private static final int TWO_BITS = 0x3;
    private static final int FOUR_BITS = 0xf;

    /** Tells whether the NVLinks run with less than their bandwidth. */
    public Flag degradedBandwidth() {
        return flag(0);
    }

    /** Tells whether a route is being recovered. */
    public Flag routeRecovery() {
        return flag(2);
    }

    /** Tells whether a route is broken. */
    public Flag routeUnhealthy() {
        return flag(4);
    }

    /** Tells whether the GPU recovers from an access that timed out. */
    public Flag accessTimeoutRecovery() {
        return flag(6);
    }

    /** Tells what is wrong with the configuration, if anything. */
    public Numbered<IncorrectConfiguration> incorrectConfiguration() {
        return Numbered.of((mask >>> 8) & FOUR_BITS, IncorrectConfiguration.values());
    }

    /** Tells whether the GPU was given a partition of the fabric. */
    public Flag partitionAssigned() {
        return flag(12);
    }

    private Flag flag(int shift) {
        return switch ((mask >>> shift) & TWO_BITS) {
            case 0 -> Flag.NOT_SUPPORTED;
            case 1 -> Flag.YES;
            case 2 -> Flag.NO;
            default -> Flag.UNDEFINED;
        };
    }

    /** A statement of two bits. */
    public enum Flag {
        NOT_SUPPORTED,
        YES,
        NO,
        /** The one value to which NVML gives no meaning. */
        UNDEFINED
    }

    /** A fault of the fabric's configuration ({@code NVML_GPU_FABRIC_HEALTH_MASK_INCORRECT_CONFIGURATION_*}). */
    public enum IncorrectConfiguration implements Numbered.Name {
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
