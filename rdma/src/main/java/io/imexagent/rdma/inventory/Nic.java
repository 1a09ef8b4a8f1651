package io.imexagent.rdma.inventory;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An RDMA device with all that belongs to it.
 *
 * @param uverbs the device node; empty where the verbs layer has none for it
 * @param ports its ports, by number
 * @param netdev its own interface, or the bond that carries its traffic; empty where there is none in this network
 *     namespace
 * @param netdevs the names of all interfaces that its PCI function or its GIDs name, its own among them
 */
public record Nic(
        RdmaDeviceName name,
        PciFunction pci,
        Optional<DeviceNode> uverbs,
        List<Port> ports,
        Optional<Netdev> netdev,
        SortedSet<InterfaceName> netdevs) {

    public Nic {
        ports = List.copyOf(ports);
        netdevs = Collections.unmodifiableSortedSet(new TreeSet<>(netdevs));
    }

    /** The name of its own interface. */
    public Optional<InterfaceName> interfaceName() {
        return netdev.map(Netdev::name);
    }

    /** How people and peers name it: the interface, or else the RDMA device. */
    public String label() {
        return interfaceName().map(InterfaceName::text).orElse(name.text());
    }

    /** Whether the list has its RDMA device or its own interface. */
    public boolean isNamed(Set<String> names) {
        return names.contains(name.text()) || names.contains(label());
    }

    /** The IPv4 addresses of its own interface, as its GIDs tell them, without repetition. */
    public List<Ipv4> ipv4() {
        return ports.stream()
                .flatMap(port -> port.gids().stream())
                .filter(entry -> entry.netdev().isPresent() && entry.netdev().equals(interfaceName()))
                .flatMap(entry -> entry.gid().ipv4().stream())
                .distinct()
                .toList();
    }

    /**
     * A NIC's own network interface.
     *
     * @param mac its hardware address, where it is known
     * @param mtu its MTU in bytes, where it is known
     * @param bond whether it is a bond, which the kernel moves into no other network namespace (bond_setup)
     */
    public record Netdev(InterfaceName name, Optional<String> mac, OptionalInt mtu, boolean bond) {}
}
