package io.imexagent.testing.api.object;

/**
 * Feature gates of the server that decide which fields survive.
 *
 * @param deviceTaints {@code DRADeviceTaints}: off drops {@code taints} of devices
 * @param consumableCapacity {@code DRAConsumableCapacity}: off drops {@code allowMultipleAllocations} and request
 *     policies of devices
 */
public record Gates(boolean deviceTaints, boolean consumableCapacity) {
    /** Both gates on, as Kubernetes 1.36 has them. */
    public static final Gates ALL_ON = new Gates(true, true);
}
