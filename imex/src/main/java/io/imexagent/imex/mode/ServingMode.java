package io.imexagent.imex.mode;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * The mode and isolation under which claims are prepared. It must not change while a claim is prepared. The constant
 * that decides for a node with several modes comes first: a driver-managed node has channel claims in addition to its
 * daemon.
 */
public enum ServingMode {
    /** nvidia-imex runs in daemon claims of the public driver. This agent does not serve that mode. */
    DRIVER_MANAGED("driver-managed"),
    /**
     * Host-managed, with one channel for each workload that is the same in the whole cluster; only older agents use
     * this mode.
     */
    HOST_MANAGED_CLUSTER_CHANNEL("host-managed, isolation IMEXChannel"),
    /** Host-managed, one channel for each workload, chosen for its clique. */
    HOST_MANAGED_IMEX_CHANNEL("host-managed, isolation IMEXChannel, per clique"),
    /** Host-managed, channel 0 for all workloads. */
    HOST_MANAGED_NONE("host-managed, isolation None");

    private final String text;

    ServingMode(String text) {
        this.text = text;
    }

    /** The mode's name in files and messages. */
    public String text() {
        return text;
    }

    public static Optional<ServingMode> parse(String text) {
        return Arrays.stream(values()).filter(mode -> mode.text.equals(text)).findFirst();
    }

    /** The mode in which a host-managed agent with this isolation serves; fails for IMEXDomain, which has no mode. */
    public static ServingMode of(Isolation isolation) {
        return switch (isolation) {
            case NONE -> HOST_MANAGED_NONE;
            case IMEX_CHANNEL -> HOST_MANAGED_IMEX_CHANNEL;
            case IMEX_DOMAIN -> throw new IllegalStateException("no agent serves isolation " + isolation.text());
        };
    }

    /**
     * Infers a mode that is not recorded from the prepared claims: driver-managed from a daemon, IMEXChannel of either
     * kind from a channel above zero, None from channel zero. Empty if no prepared claim gives containers a channel.
     */
    public static Optional<ServingMode> infer(Ledger ledger) {
        return ledger.completed().stream()
                .flatMap(entry -> entry.devices().stream())
                .flatMap(device -> of(device).stream())
                .min(Comparator.naturalOrder());
    }

    private static Optional<ServingMode> of(PreparedDevice device) {
        return switch (device) {
            case PreparedDevice.Daemon _ -> Optional.of(DRIVER_MANAGED);
            case PreparedDevice.Channel channel when !channel.reachesContainers() -> Optional.empty();
            case PreparedDevice.Channel(var id, var _) when id.number() == 0 -> Optional.of(HOST_MANAGED_NONE);
            // A channel that was chosen for the whole cluster was a device of its own.
            case PreparedDevice.Channel(var id, var handed)
            when handed.device().equals(id.device()) -> Optional.of(HOST_MANAGED_CLUSTER_CHANNEL);
            case PreparedDevice.Channel _ -> Optional.of(HOST_MANAGED_IMEX_CHANNEL);
            case PreparedDevice.Plain _ -> Optional.empty();
        };
    }
}
