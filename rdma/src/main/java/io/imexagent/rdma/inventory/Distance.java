package io.imexagent.rdma.inventory;

import java.util.OptionalInt;

/** How far a NIC is from a GPU, the nearest first. */
public enum Distance {
    /** They share a PCI bridge; how many, {@link PciPath#sharedBridges} tells. */
    SAME_SWITCH("same switch"),
    /** They share a PCI root and no bridge below it. */
    SAME_ROOT("same root"),
    /** They are on one NUMA node; on Grace, where each GPU and each NIC has a PCI root of its own, the best there is. */
    SAME_NUMA_NODE("same NUMA node"),
    /** They have nothing in common but the system, as far as the firmware tells. */
    SYSTEM("system");

    private final String text;

    Distance(String text) {
        this.text = text;
    }

    /** The distance of two functions. A NUMA node that is not told is nobody's neighbour. */
    public static Distance between(PciPath left, OptionalInt leftNode, PciPath right, OptionalInt rightNode) {
        if (left.root().equals(right.root())) {
            return left.sharedBridges(right) > 0 ? SAME_SWITCH : SAME_ROOT;
        }
        return leftNode.isPresent() && leftNode.equals(rightNode) ? SAME_NUMA_NODE : SYSTEM;
    }

    /** The distance in words. */
    public String text() {
        return text;
    }
}
