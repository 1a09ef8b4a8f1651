package io.imexagent.rdma.inventory;

import io.imexagent.rdma.inventory.PciFunction.PciPath;
import java.util.OptionalInt;

/** Where a GPU of this index and UUID of NVML sits. The NUMA node is empty where the firmware does not tell. */
public record GpuPlace(int index, String uuid, PciPath path, OptionalInt numaNode) {

    /** How far the NIC is. A NUMA node that the firmware does not tell is near no other. */
    public Distance from(PciFunction nic) {
        if (nic.path().root().equals(path.root())) {
            return nic.path().sharedBridges(path) > 0 ? Distance.SAME_SWITCH : Distance.SAME_ROOT;
        }
        return numaNode.isPresent() && numaNode.equals(nic.numaNode()) ? Distance.SAME_NUMA_NODE : Distance.SYSTEM;
    }

    /** How far a NIC is from a GPU, the nearest first. */
    public enum Distance {
        /** They share a PCI bridge; how many, {@link PciPath#sharedBridges} tells. */
        SAME_SWITCH("same switch"),
        /** They share a PCI root and no bridge below it. */
        SAME_ROOT("same root"),
        /** They are on one NUMA node: the best on Grace, where each GPU and each NIC has a PCI root of its own. */
        SAME_NUMA_NODE("same NUMA node"),
        /** They share nothing but the system, as far as the firmware tells. */
        SYSTEM("system");

        private final String text;

        Distance(String text) {
            this.text = text;
        }

        /** The distance in words. */
        public String text() {
            return text;
        }
    }
}
