package io.imexagent.rdma.selection;

import io.imexagent.core.text.DisplayedName;
import java.util.Optional;

/** Whether a NIC is offered to containers. */
public sealed interface Choice {

    record SelectedNic(Rail rail) implements Choice {}

    /** The NIC is not selected, for a reason that is a clause; {@code cause} is present only with {@link SelectionRule#UNUSABLE}. */
    record DroppedNic(SelectionRule rule, Optional<DropCause> cause, String reason) implements Choice {

        DroppedNic(SelectionRule rule, String reason) {
            this(rule, Optional.empty(), reason);
        }

        DroppedNic(DropCause cause, String reason) {
            this(SelectionRule.UNUSABLE, Optional.of(cause), reason);
        }

        /** The remedy if the NIC should be offered. */
        public String remedy() {
            return cause.map(lacking -> lacking.remedy).orElse(rule.remedy);
        }
    }

    enum SelectionRule implements DisplayedName {
        UPLINK(
                NicClass.UPLINK,
                "leave it to the host; if it must be offered, name it in rdma.include and set rdma.includeUplinks"),
        EXCLUDED(NicClass.UPLINK, "change rdma.exclude, or name the NIC in rdma.include"),
        STORAGE(NicClass.STORAGE, "take the device out of rdma.storageDevices, or name the NIC in rdma.include"),
        VIRTUAL_FUNCTION(NicClass.VIRTUAL_FUNCTION, "name the NIC in rdma.include"),
        EFA(
                NicClass.EFA,
                "give pods EFA by the device plugin of AWS (vpc.amazonaws.com/efa) and NCCL by aws-ofi-nccl; verbs and"
                        + " NCCL_IB_HCA do not reach it"),
        MANAGEMENT(NicClass.MANAGEMENT, "nothing: it carries no traffic of workloads"),
        SOFTWARE(NicClass.SOFTWARE, "nothing: GPUs reach no memory through it"),
        /** The NIC cannot carry RDMA traffic now; the {@link DropCause} has the remedy. */
        UNUSABLE(NicClass.UNUSABLE, ""),
        NOT_INCLUDED(NicClass.RAIL, "name it in rdma.include"),
        NOT_AT_PEER(
                NicClass.RAIL,
                "make it usable on the peer and run 'imex-agent rdma summary' there, or leave it out on both");

        private final NicClass nicClass;
        private final String remedy;

        SelectionRule(NicClass nicClass, String remedy) {
            this.nicClass = nicClass;
            this.remedy = remedy;
        }

        NicClass nicClass() {
            return nicClass;
        }
    }

    /** The missing prerequisite of a NIC. The prerequisites of ports are in the order in which a port meets them. */
    enum DropCause implements DisplayedName {
        /** The NIC has no RDMA device, for example because it is bound to vfio-pci. */
        NO_RDMA_DEVICE(false, "bind it to its network driver (mlx5_core) and load mlx5_ib"),
        UNREADABLE(true, "look at the kernel log for the device; it is read again with every scan"),
        /** The uplinks are unknown, and the NIC might be one. */
        UPLINKS_UNKNOWN(true, "make /proc/net of the host readable for the agent"),
        NO_UVERBS(true, "load the module ib_uverbs"),
        NO_PORT(false, "look at the kernel log for the device"),
        NO_NETDEV(
                true, "wait for the container that has it, or move it back: ip -n <namespace> link set <dev> netns 1"),
        PORT_DOWN(true, "bring the link up: ip link set <dev> up; check cable and switch port"),
        NO_LID(true, "have a subnet manager run on the InfiniBand fabric"),
        /** The Ethernet port has neither an IPv4 address nor another usable GID. */
        NO_ADDRESS(true, "give the interface an address: ip address add <address>/<prefix> dev <dev>");

        private final boolean passing;
        private final String remedy;

        DropCause(boolean passing, String remedy) {
            this.passing = passing;
            this.remedy = remedy;
        }

        /** Whether the cause may disappear without a change of hardware or drivers. */
        public boolean isPassing() {
            return passing;
        }
    }

    /** The purpose of a NIC. */
    enum NicClass implements DisplayedName {
        /** The traffic between GPUs. */
        RAIL,
        /** The host's own traffic. */
        UPLINK,
        /** Storage and the front-end network. */
        STORAGE,
        /** Exclusive use by a virtual machine or a pod. */
        VIRTUAL_FUNCTION,
        /** EFA of AWS, which NCCL reaches by libfabric and not by verbs. */
        EFA,
        /** Management of another RDMA device of its function, such as {@code smi1}, or of the machine's NVSwitches. */
        MANAGEMENT,
        /** Tests and development: RDMA in software. */
        SOFTWARE,
        /** None now: the NIC cannot carry RDMA traffic. */
        UNUSABLE
    }
}
