package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A PCI function that is a NIC. What the firmware does not tell, could not be read, or is not there, is empty; the
 * physical function is the one of which it is a virtual one.
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
