package io.imexagent.nvml;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A GPU in an open {@link NvmlSession}; every method queries the driver again. A GPU that fell off the bus answers
 * {@code GPU_IS_LOST}.
 */
public interface NvmlDevice {
    /** Returns the product name, such as {@code NVIDIA GB200}. */
    String name() throws NvmlException;

    /** Returns the identifier of the GPU across reboots, such as {@code GPU-6a7d…}. */
    String uuid() throws NvmlException;

    /** Returns the PCI address as in {@code /sys/bus/pci/devices}, such as {@code 0008:06:00.0}; the function is 0. */
    String pciAddress() throws NvmlException;

    /** Returns the GPU's report on its NVLink fabric, by the newest call that the driver accepts. */
    FabricAnswer fabric() throws NvmlException;

    /** Returns the action that would recover the GPU (field 230); empty if GPU or driver do not have the field. */
    Optional<Numbered<RecoveryAction>> recoveryAction() throws NvmlException;

    /** Returns the number of free bytes of the GPU's memory; empty if GPU or driver do not report it. */
    OptionalLong freeMemory() throws NvmlException;

    /** Returns whether the GPU is divided (MIG); false for a GPU that cannot be divided. */
    boolean divided() throws NvmlException;

    /** The action that would bring a GPU back to health (NVML field 230). */
    enum RecoveryAction implements Numbered.NvmlConstant {
        NONE,
        RESET,
        REBOOT,
        DRAIN_PEER_TO_PEER,
        /** Stop the work on the GPU, then reset it. */
        DRAIN_AND_RESET,
        RECOVER_IMEX_DOMAIN,
        /** Reset the bus that the GPU is on. This action and the next exist from driver 615 on. */
        BUS_RESET,
        SYSTEM_REBOOT
    }

    /** The answer to the query for a GPU's fabric. */
    sealed interface FabricAnswer {
        record Reported(FabricInfo info) implements FabricAnswer {}

        /** The call answered {@code NOT_SUPPORTED}: this GPU belongs to no fabric. */
        record NotSupported() implements FabricAnswer {}

        /** The driver has none of the three forms of the call, so the fabric is unknown. */
        record DriverTooOld() implements FabricAnswer {}
    }
}
