package io.imexagent.rdma.inventory;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The RDMA side of a node at one moment: everything that selection and planning may know about it.
 *
 * @param takenAt when it was read
 * @param nics its NICs, RDMA devices by name and then NICs without one by address
 * @param gpus the GPUs whose place is known, by index
 * @param uplinks the interfaces that carry the host's own traffic
 * @param subnets the IPv4 subnets of the interfaces of NICs, as far as routes tell
 * @param arp the ARP settings of the interfaces of NICs that have an IPv4 address
 * @param rdmaCm the number of {@code /dev/infiniband/rdma_cm}; empty where the module is not loaded
 * @param netnsMode whether network namespaces share RDMA devices
 * @param gpuDirect whether NICs reach the memory of GPUs
 */
public record RdmaInventory(
        Instant takenAt,
        List<NicReading> nics,
        List<GpuPlace> gpus,
        Uplinks uplinks,
        Map<InterfaceName, List<Subnet>> subnets,
        Map<InterfaceName, ArpSettings> arp,
        Optional<DeviceNumber> rdmaCm,
        NetnsMode netnsMode,
        GpuDirect gpuDirect) {

    /** Copies the collections in. */
    public RdmaInventory {
        nics = List.copyOf(nics);
        gpus = List.copyOf(gpus);
        subnets = Map.copyOf(subnets);
        arp = Map.copyOf(arp);
    }

    /** The same with other uplinks. */
    public RdmaInventory with(Uplinks others) {
        return new RdmaInventory(takenAt, nics, gpus, others, subnets, arp, rdmaCm, netnsMode, gpuDirect);
    }

    /** Whether this inventory tells the same as the other, apart from the time. */
    public boolean tellsTheSameAs(RdmaInventory other) {
        return equals(new RdmaInventory(
                takenAt,
                other.nics,
                other.gpus,
                other.uplinks,
                other.subnets,
                other.arp,
                other.rdmaCm,
                other.netnsMode,
                other.gpuDirect));
    }
}
