package io.imexagent.nvml;

import java.util.Optional;

/**
 * A GPU as an open {@link NvmlSession} sees it; every method asks the driver again.
 *
 * <p>A GPU that fell off the bus answers {@code GPU_IS_LOST} to any of the calls.
 */
public interface NvmlDevice {
    /** Returns the index that the device was asked for by; it may change from boot to boot. */
    int index();

    /** Returns the product name, such as {@code NVIDIA GB200}. */
    String name() throws NvmlException;

    /** Returns the identifier of the GPU across reboots, such as {@code GPU-6a7d…}. */
    String uuid() throws NvmlException;

    /** Returns where the GPU is on the PCI bus, and what it is there. */
    PciInfo pciInfo() throws NvmlException;

    /** Returns the minor number N of {@code /dev/nvidiaN}. */
    int minorNumber() throws NvmlException;

    /** Returns the architecture; empty when the driver is too old to tell or says itself that it does not know. */
    Optional<Architecture> architecture() throws NvmlException;

    /** Returns what the GPU knows of its NVLink fabric, asked for in the newest form that the driver accepts. */
    FabricAnswer fabric() throws NvmlException;

    /** Returns the place of the GPU in its rack; empty where the GPU (before Blackwell) or the driver has no answer. */
    Optional<PlatformInfo> platformInfo() throws NvmlException;

    /** Returns the action that would recover the GPU (field 230); empty where GPU or driver do not have the field. */
    Optional<RecoveryAction> recoveryAction() throws NvmlException;
}
