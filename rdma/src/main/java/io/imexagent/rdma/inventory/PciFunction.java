package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A PCI function that is a NIC.
 *
 * @param numaNode its NUMA node; empty where the firmware does not tell
 * @param id vendor and device, {@code 15b3:1021}; empty where they could not be read
 * @param driver the driver that is bound to it; empty without one
 * @param physicalFunction the function of which it is a virtual one; empty for a physical function
 */
public record PciFunction(
        PciPath path,
        OptionalInt numaNode,
        Optional<PciId> id,
        Optional<String> driver,
        Optional<PciAddress> physicalFunction) {

    /** Its address. */
    public PciAddress address() {
        return path.function();
    }
}
