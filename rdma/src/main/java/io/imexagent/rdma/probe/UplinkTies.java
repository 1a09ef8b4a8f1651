package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the interfaces that are tied to an uplink: bonded, bridged or stacked with it, the other end of a veth pair,
 * and the ports of the same Open vSwitch.
 */
final class UplinkTies {

    private static final String NET = "sys/class/net";

    /** The kernel's half of Open vSwitch: the master of each NIC in any of its bridges ({@code vport-netdev.c}). */
    private static final InterfaceName SWITCH = new InterfaceName("ovs-system");

    /** The sysfs entries of interfaces that are hardware, or cannot be a port of a switch. */
    private static final Set<String> NO_PORT = Set.of("device", "bonding", "bridge", "tun_flags");

    /** The kernel's kind of a port without hardware. */
    private static final String PORT = "openvswitch";

    /** {@code ARPHRD_ETHER} of linux/if_arp.h. */
    private static final int ETHERNET = 1;

    /** Of linux/if_arp.h: no header as of WireGuard, and tunnels: IPIP, IPv6, SIT, GRE in IPv4 and IPv6. */
    private static final Set<Integer> NO_HARDWARE = Set.of(65534, 768, 769, 776, 778, 823);

    private final HostFiles files;
    private Optional<Map<Integer, InterfaceName>> byIndex = Optional.empty();

    /** The ties by these files, for one reading. */
    UplinkTies(HostFiles files) {
        this.files = files;
    }

    /** Adds all interfaces of NICs that are tied to an uplink, directly or through others. */
    void addTo(Map<InterfaceName, String> reasons, Collection<InterfaceName> nics) {
        follow(reasons, reasons.keySet());
        openVSwitch(reasons, nics).ifPresent(reason -> {
            if (reasons.putIfAbsent(SWITCH, reason) == null) {
                follow(reasons, Set.of(SWITCH));
            }
        });
        nics.forEach(name -> {
            if (!reasons.containsKey(name)) {
                reached(name).stream()
                        .filter(reasons::containsKey)
                        .findFirst()
                        .ifPresent(tied -> reasons.put(name, because(tied, reasons)));
            }
        });
    }

    private void follow(Map<InterfaceName, String> reasons, Set<InterfaceName> from) {
        Deque<InterfaceName> open = new ArrayDeque<>(from);
        while (!open.isEmpty()) {
            InterfaceName tied = open.pop();
            String because = because(tied, reasons);
            Set<InterfaceName> others = linked(tied);
            otherEnd(NET + "/" + tied).ifPresent(others::add);
            for (InterfaceName other : others) {
                if (reasons.putIfAbsent(other, because) == null) {
                    open.push(other);
                }
            }
        }
    }

    private static String because(InterfaceName tied, Map<InterfaceName, String> reasons) {
        String reason = reasons.getOrDefault(tied, "");
        return reason.startsWith("is tied to ") ? reason : "is tied to " + tied + ", which " + reason;
    }

    /** All interfaces linked with this one, the nearest first. */
    private Set<InterfaceName> reached(InterfaceName from) {
        Deque<InterfaceName> open = new ArrayDeque<>(List.of(from));
        Set<InterfaceName> found = new LinkedHashSet<>();
        while (!open.isEmpty()) {
            linked(open.pop()).stream().filter(found::add).forEach(open::add);
        }
        return found;
    }

    private Set<InterfaceName> linked(InterfaceName netdev) {
        Set<InterfaceName> found = new TreeSet<>();
        String folder = NET + "/" + netdev;
        // An interface that has just vanished carries nothing; interfaces tied to it are found by their other ties.
        for (String name : files.names(folder)) {
            if (name.startsWith("lower_") || name.startsWith("upper_")) {
                InterfaceName.parse(name.substring("lower_".length())).ifPresent(found::add);
            } else if (name.equals("master")) {
                files.targetName(folder + "/master")
                        .flatMap(InterfaceName::parse)
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    /** The other end of a pair of virtual interfaces ({@code veth}), where both name each other in this namespace. */
    private Optional<InterfaceName> otherEnd(String folder) {
        Optional<Integer> own = files.number(folder + "/ifindex");
        Optional<Integer> other = files.number(folder + "/iflink")
                .filter(link -> !Optional.of(link).equals(own));
        return other.flatMap(link -> Optional.ofNullable(indices().get(link)))
                .filter(name -> own.isPresent()
                        && files.number(NET + "/" + name + "/iflink").equals(own));
    }

    private Map<Integer, InterfaceName> indices() {
        Map<Integer, InterfaceName> known = byIndex.orElseGet(this::readIndices);
        byIndex = Optional.of(known);
        return known;
    }

    private Map<Integer, InterfaceName> readIndices() {
        Map<Integer, InterfaceName> found = new HashMap<>();
        files.names(NET)
                .forEach(text -> InterfaceName.parse(text)
                        .ifPresent(name -> files.number(NET + "/" + name + "/ifindex")
                                .ifPresent(index -> found.put(index, name))));
        return found;
    }

    /** Why the switch carries the host's traffic: nothing in sysfs links an internal port to it ({@code vport-internal_dev.c}). */
    private Optional<String> openVSwitch(Map<InterfaceName, String> reasons, Collection<InterfaceName> nics) {
        boolean absent = files.names(NET + "/" + SWITCH).isEmpty()
                && nics.stream().noneMatch(name -> reached(name).contains(SWITCH));
        return absent
                ? Optional.empty()
                : reasons.keySet().stream()
                        .filter(this::isInternalPort)
                        .findFirst()
                        .map(port -> "may be the switch of " + port + ", which " + reasons.get(port));
    }

    /**
     * The taps and tunnels among uplinks without any hardware: their traffic leaves by a NIC that sysfs does not show.
     */
    Set<InterfaceName> tunnels(Set<InterfaceName> uplinks) {
        Set<InterfaceName> found = new TreeSet<>();
        for (InterfaceName uplink : uplinks) {
            String folder = NET + "/" + uplink;
            List<String> entries = files.names(folder);
            if (entries.contains("device")) {
                return Set.of();
            }
            boolean without = entries.stream().noneMatch(entry -> entry.equals("master") || entry.startsWith("lower_"));
            if (without
                    && (entries.contains("tun_flags")
                            || NO_HARDWARE.contains(
                                    files.number(folder + "/type").orElse(ETHERNET)))) {
                found.add(uplink);
            }
        }
        return found;
    }

    /** Whether the interface may be a port without hardware, by sysfs and, if {@code ip} answers, by the kernel. */
    private boolean isInternalPort(InterfaceName netdev) {
        String folder = NET + "/" + netdev;
        Set<String> entries = new HashSet<>(files.names(folder));
        Optional<Integer> link = files.number(folder + "/iflink");
        // A port may be in a VRF; most interfaces with a master are hardware, or ends of pairs.
        String fallback = entries.contains("master") ? "" : PORT;
        return !entries.isEmpty()
                && entries.stream().noneMatch(entry -> NO_PORT.contains(entry) || entry.startsWith("lower_"))
                && files.number(folder + "/type").orElse(ETHERNET) == ETHERNET
                && (link.isEmpty() || link.equals(files.number(folder + "/ifindex")))
                && new HostNetwork(files).kind(netdev).orElse(fallback).equals(PORT);
    }
}
