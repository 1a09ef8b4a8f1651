package io.imexagent.rdma.selection;

import io.imexagent.rdma.selection.NicClass.Cause;

/** What to do about a NIC that cannot be used. */
final class Remedies {

    private Remedies() {}

    static String of(Cause cause) {
        return switch (cause) {
            case NO_RDMA_DEVICE -> "bind it to its network driver (mlx5_core) and load mlx5_ib";
            case UNREADABLE -> "look at the kernel log for the device; it is read again with every scan";
            case UPLINKS_UNKNOWN -> "make /proc/net of the host readable for the agent";
            case NO_UVERBS -> "load the module ib_uverbs";
            case NO_PORT -> "look at the kernel log for the device";
            case NO_NETDEV ->
                "wait for the container that has it, or move it back: ip -n <namespace> link set <dev> netns 1";
            case PORT_DOWN -> "bring the link up: ip link set <dev> up; check cable and switch port";
            case NO_LID -> "have a subnet manager run on the InfiniBand fabric";
            case NO_ADDRESS -> "give the interface an address: ip address add <address>/<prefix> dev <dev>";
        };
    }
}
