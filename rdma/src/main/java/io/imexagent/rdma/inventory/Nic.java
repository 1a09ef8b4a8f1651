package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An RDMA device with its ports by number. The device node is empty if the verbs layer has none. The interface is the
 * device's own, or the bond that carries its traffic; empty if this network namespace has neither. {@code netdevs} are
 * the names of all interfaces of its PCI function or in its GIDs.
 */
public record Nic(
        RdmaDeviceName name,
        PciFunction pci,
        Optional<DeviceNodeEdits> uverbs,
        List<Port> ports,
        Optional<Netdev> netdev,
        SortedSet<InterfaceName> netdevs) {

    public Nic {
        ports = List.copyOf(ports);
        netdevs = Collections.unmodifiableSortedSet(new TreeSet<>(netdevs));
    }

    public Optional<InterfaceName> interfaceName() {
        return netdev.map(Netdev::name);
    }

    /** The NIC's name for people and peers: the interface, or the RDMA device if it has none. */
    public String label() {
        return interfaceName().map(InterfaceName::text).orElse(name.text());
    }

    /** Whether the list contains the NIC's RDMA device or its own interface. */
    public boolean isNamed(Set<String> names) {
        return names.contains(name.text()) || names.contains(label());
    }

    /** The IPv4 addresses of the NIC's own interface, taken from its GIDs, without repetition. */
    public List<Ipv4> ipv4() {
        return ports.stream()
                .flatMap(port -> port.gids().stream())
                .filter(entry -> entry.netdev().isPresent() && entry.netdev().equals(interfaceName()))
                .flatMap(entry -> entry.gid().ipv4().stream())
                .distinct()
                .toList();
    }

    /** A NIC's own network interface, MAC and MTU in bytes where known; no bond moves into another namespace. */
    public record Netdev(InterfaceName name, Optional<String> mac, Optional<Integer> mtu, boolean bond) {}
}
