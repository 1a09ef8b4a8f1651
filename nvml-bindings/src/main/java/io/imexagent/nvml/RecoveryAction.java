package io.imexagent.nvml;

/** The action that would bring a GPU back to health (NVML field 230). */
public enum RecoveryAction implements Numbered.Name {
    /** Nothing needs to be done. */
    NONE(0),
    /** Reset the GPU. */
    RESET(1),
    /** Reboot the node. */
    REBOOT(2),
    /** Stop the peer-to-peer traffic. */
    DRAIN_PEER_TO_PEER(3),
    /** Stop the work on the GPU, then reset it. */
    DRAIN_AND_RESET(4),
    /** Recover the IMEX domain. */
    RECOVER_IMEX_DOMAIN(5);

    private final long number;

    RecoveryAction(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
