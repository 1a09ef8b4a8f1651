package io.imexagent.nvml;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A GPU as an open {@link NvmlSession} sees it; every method asks the driver again. A GPU that fell off the bus answers
 * {@code GPU_IS_LOST}.
 */
public interface NvmlDevice {
    /** Returns the product name, such as {@code NVIDIA GB200}. */
    String name() throws NvmlException;

    /** Returns the identifier of the GPU across reboots, such as {@code GPU-6a7d…}. */
    String uuid() throws NvmlException;

    /** Returns the PCI address as in {@code /sys/bus/pci/devices}, such as {@code 0008:06:00.0}; the function is 0. */
    String pciAddress() throws NvmlException;

    /** Returns what the GPU knows of its NVLink fabric, asked for in the newest form that the driver accepts. */
    FabricAnswer fabric() throws NvmlException;

    /** Returns the action that would recover the GPU (field 230); empty where GPU or driver do not have the field. */
    Optional<Numbered<RecoveryAction>> recoveryAction() throws NvmlException;

    /** Returns how many bytes of the GPU's memory are free; empty where GPU or driver do not have that. */
    OptionalLong freeMemory() throws NvmlException;

    /** Tells whether the GPU is divided (MIG); one that cannot be is not. */
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
        /** Reset the bus that the GPU is on; from driver 615 on, as the next one. */
        BUS_RESET,
        SYSTEM_REBOOT
    }

    /** The answer to the question for a GPU's fabric. */
    sealed interface FabricAnswer {
        record Reported(FabricInfo info) implements FabricAnswer {}

        /** The call answered {@code NOT_SUPPORTED}: this GPU takes part in no fabric. */
        record NotSupported() implements FabricAnswer {}

        /** The driver knows none of the three forms of the call, so the fabric is unknown. */
        record DriverTooOld() implements FabricAnswer {}
    }
}
