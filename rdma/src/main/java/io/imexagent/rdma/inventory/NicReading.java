package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.Optional;

/** What became of reading one NIC. One that cannot be read costs no other. */
public sealed interface NicReading {

    /** What the NIC is called towards people: its RDMA device, or else its PCI address. */
    String label();

    /**
     * It was read.
     *
     * @param nic the NIC
     */
    record Read(Nic nic) implements NicReading {
        @Override
        public String label() {
            return nic.name().text();
        }
    }

    /**
     * It is there and could not be read: it vanished, changed or answered with an error in the middle, or it is no PCI
     * device.
     *
     * @param device the RDMA device's name, as sysfs lists it
     * @param reason what happened, as a clause
     * @param outsidePci whether it is no PCI device, which no later reading changes
     */
    record Failed(String device, String reason, boolean outsidePci) implements NicReading {

        /** One that a later reading may find in order. */
        public Failed(String device, String reason) {
            this(device, reason, false);
        }

        @Override
        public String label() {
            return device;
        }
    }

    /**
     * A NIC of an RDMA vendor without an RDMA device, such as one that is bound to vfio-pci.
     *
     * @param pci the PCI function
     */
    record WithoutRdma(PciFunction pci) implements NicReading {
        @Override
        public String label() {
            return pci.address().toString();
        }
    }

    /** Where it sits, as far as that is known. */
    default Optional<PciAddress> address() {
        return switch (this) {
            case Read read -> Optional.of(read.nic().pci().address());
            case Failed failed -> Optional.empty();
            case WithoutRdma without -> Optional.of(without.pci().address());
        };
    }
}
