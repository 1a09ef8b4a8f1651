package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The result of reading one NIC. A failure affects no other NIC. */
public sealed interface NicReading {

    record ReadNic(Nic nic) implements NicReading {}

    /** The NIC could not be read, or changed while it was read; the reason is a clause. */
    record FailedNic(String device, String reason) implements NicReading {}

    /** An RDMA device in software over any interface, as of rxe and siw: no hardware, and nothing for GPUs. */
    record SoftwareNic(String device) implements NicReading {}

    /** A NIC of an RDMA vendor without an RDMA device, such as one that is bound to vfio-pci, and its interfaces. */
    record NicWithoutRdma(PciFunction pci, SortedSet<InterfaceName> netdevs) implements NicReading {

        public NicWithoutRdma {
            netdevs = Collections.unmodifiableSortedSet(new TreeSet<>(netdevs));
        }
    }

    /** The NIC's name for people: its RDMA device, or its PCI address if it has none. */
    default String label() {
        return switch (this) {
            case ReadNic(Nic nic) -> nic.name().text();
            case FailedNic failed -> failed.device();
            case SoftwareNic(String device) -> device;
            case NicWithoutRdma without -> without.pci().address().toString();
        };
    }

    default Optional<Nic> asNic() {
        return this instanceof ReadNic(Nic nic) ? Optional.of(nic) : Optional.empty();
    }

    default Optional<PciFunction> function() {
        return this instanceof NicWithoutRdma without ? Optional.of(without.pci()) : asNic().map(Nic::pci);
    }

    /** The interfaces of the NIC. */
    default SortedSet<InterfaceName> netdevs() {
        return this instanceof NicWithoutRdma without
                ? without.netdevs()
                : asNic().<SortedSet<InterfaceName>>map(Nic::netdevs).orElseGet(Collections::emptySortedSet);
    }

    default Optional<PciAddress> address() {
        return function().map(PciFunction::address);
    }
}
