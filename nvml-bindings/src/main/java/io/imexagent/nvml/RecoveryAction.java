package io.imexagent.nvml;

/** The action that would bring a GPU back to health (NVML field 230). */
public sealed interface RecoveryAction {
    /** Returns NVML's number of the action. */
    long number();

    /** The actions that have a name here. */
    enum Known implements RecoveryAction {
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

        Known(long number) {
            this.number = number;
        }

        @Override
        public long number() {
            return number;
        }
    }

    /**
     * An action that has no name here.
     *
     * @param number NVML's number
     */
    record Unlisted(long number) implements RecoveryAction {}

    /** Returns the action for a number. */
    static RecoveryAction of(long number) {
        for (Known known : Known.values()) {
            if (known.number == number) {
                return known;
            }
        }
        return new Unlisted(number);
    }
}
