package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.Distance;
import io.imexagent.rdma.inventory.GidEntry;
import io.imexagent.rdma.inventory.GpuPlace;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.Uverbs;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A NIC that may be handed to containers.
 *
 * @param nic the NIC
 * @param uverbs its device node
 * @param port the port to use
 * @param gid the GID to use on Ethernet; empty on InfiniBand
 * @param distance how far the nearest GPUs are; {@link Distance#SYSTEM} where none is near
 * @param nearestGpus the GPUs at that distance, by index; empty where none is nearer than the system
 */
public record Rail(
        Nic nic, Uverbs uverbs, Port port, Optional<GidEntry> gid, Distance distance, List<GpuPlace> nearestGpus) {

    private static final Pattern DEVICE_NAME =
            Pattern.compile("rail-([0-9a-f]{4,8})-([0-9a-f]{2})-([0-9a-f]{2})-([0-7])");

    /** Copies the list in. */
    public Rail {
        nearestGpus = List.copyOf(nearestGpus);
    }

    /**
     * The name as a device of Kubernetes, a DNS label. It is made of the PCI address: names of RDMA devices and of nodes
     * change with the order in which drivers load.
     */
    public String deviceName() {
        return deviceName(nic.pci().address());
    }

    /** The name of the device at this address. */
    public static String deviceName(PciAddress address) {
        return "rail-" + address.toString().replace(':', '-').replace('.', '-');
    }

    /** The address in the name of a device, or empty where that is none of a rail. */
    public static Optional<PciAddress> address(String deviceName) {
        Matcher name = DEVICE_NAME.matcher(deviceName);
        return name.matches()
                ? PciAddress.parse(name.group(1) + ":" + name.group(2) + ":" + name.group(3) + "." + name.group(4))
                : Optional.empty();
    }

    /** What the port's link speaks. */
    public LinkLayer linkLayer() {
        return port.linkLayer();
    }

    /** How NCCL_IB_HCA names it: the device, with the port where the device has several. */
    public String hca() {
        return nic.ports().size() == 1 ? nic.name().text() : nic.name() + ":" + port.number();
    }

    /** How people and peers name it: the interface, or else the RDMA device. */
    public String label() {
        return nic.interfaceName().map(name -> name.text()).orElse(nic.name().text());
    }
}
