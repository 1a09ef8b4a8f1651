package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.Optional;

/** What became of reading one NIC. One that cannot be read costs no other. */
public sealed interface NicReading {

    record Read(Nic nic) implements NicReading {}

    /** It is there and could not be read, or changed meanwhile, for a reason that is a clause. */
    record Failed(String device, String reason) implements NicReading {}

    /** An RDMA device in software over any interface, as of rxe and siw: no hardware, and nothing for GPUs. */
    record Software(String device) implements NicReading {}

    /** A NIC of an RDMA vendor without an RDMA device, such as one that is bound to vfio-pci. */
    record WithoutRdma(PciFunction pci) implements NicReading {}

    /** What the NIC is called towards people: its RDMA device, or else its PCI address. */
    default String label() {
        return switch (this) {
            case Read(Nic nic) -> nic.name().text();
            case Failed failed -> failed.device();
            case Software(String device) -> device;
            case WithoutRdma(PciFunction pci) -> pci.address().toString();
        };
    }

    default Optional<Nic> asNic() {
        return this instanceof Read(Nic nic) ? Optional.of(nic) : Optional.empty();
    }

    default Optional<PciFunction> function() {
        return this instanceof WithoutRdma(PciFunction pci) ? Optional.of(pci) : asNic().map(Nic::pci);
    }

    default Optional<PciAddress> address() {
        return function().map(PciFunction::address);
    }
}
