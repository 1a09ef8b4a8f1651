package io.imexagent.rdma.selection;

/** What a NIC is for. Each NIC is in one class, with the reason. */
public sealed interface NicClass {

    /** Why it is in this class, as a clause. */
    String reason();

    /** The class in a word, fit for a label. */
    default String text() {
        return switch (this) {
            case Rail _ -> "rail";
            case Uplink _ -> "uplink";
            case Storage _ -> "storage";
            case VirtualFunction _ -> "virtual-function";
            case Unusable _ -> "unusable";
        };
    }

    /** It carries the traffic between GPUs. */
    record Rail(String reason) implements NicClass {}

    /**
     * It carries the host's own traffic.
     *
     * @param excluded whether only the exclude pattern says so
     */
    record Uplink(String reason, boolean excluded) implements NicClass {}

    /** It is for storage and the front-end network. */
    record Storage(String reason) implements NicClass {}

    /** It is a virtual function, made for a virtual machine or a pod of its own. */
    record VirtualFunction(String reason) implements NicClass {}

    /** It cannot carry RDMA traffic now. */
    record Unusable(Cause cause, String reason) implements NicClass {}

    /** Why a NIC cannot be used. */
    enum Cause {
        /** There is no RDMA device, as with a NIC that is bound to vfio-pci. */
        NO_RDMA_DEVICE("no-rdma-device", false, "bind it to its network driver (mlx5_core) and load mlx5_ib"),
        /** It could not be read. */
        UNREADABLE("unreadable", true, "look at the kernel log for the device; it is read again with every scan"),
        /** It cannot be told which interfaces are uplinks, so it might be one. */
        UPLINKS_UNKNOWN("uplinks-unknown", true, "make /proc/net of the host readable for the agent"),
        /** The verbs layer has no device node for it. */
        NO_UVERBS("no-uverbs", true, "load the module ib_uverbs"),
        /** It has no port. */
        NO_PORT("no-port", false, "look at the kernel log for the device"),
        /** No interface of it is in the host's network namespace. */
        NO_NETDEV(
                "no-netdev",
                true,
                "wait for the container that has it, or move it back: ip -n <namespace> link set <dev> netns 1"),
        /** No port is ACTIVE. */
        PORT_DOWN("port-down", true, "bring the link up: ip link set <dev> up; check cable and switch port"),
        /** The InfiniBand port has no LID. */
        NO_LID("no-lid", true, "have a subnet manager run on the InfiniBand fabric"),
        /** The Ethernet port has neither an IPv4 address nor another usable GID. */
        NO_ADDRESS("no-address", true, "give the interface an address: ip address add <address>/<prefix> dev <dev>");

        private final String text;
        private final boolean passing;
        private final String remedy;

        Cause(String text, boolean passing, String remedy) {
            this.text = text;
            this.passing = passing;
            this.remedy = remedy;
        }

        /** The cause in lower-case words joined by hyphens, fit for a label. */
        public String text() {
            return text;
        }

        /** Whether it can pass without anybody changing the node's hardware or drivers. */
        public boolean isPassing() {
            return passing;
        }

        /** What to do about it. */
        public String remedy() {
            return remedy;
        }
    }
}
