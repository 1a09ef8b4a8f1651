package io.imexagent.nvml;

/** The action that would bring a GPU back to health (NVML field 230). */
public enum RecoveryAction implements Numbered.Name {
    /** Nothing needs to be done. */
    NONE,
    /** Reset the GPU. */
    RESET,
    /** Reboot the node. */
    REBOOT,
    /** Stop the peer-to-peer traffic. */
    DRAIN_PEER_TO_PEER,
    /** Stop the work on the GPU, then reset it. */
    DRAIN_AND_RESET,
    /** Recover the IMEX domain. */
    RECOVER_IMEX_DOMAIN
}
