package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the interfaces that carry the host's own traffic: those of default routes of both families, of the node's
 * addresses, those that the operator names, and all that are tied to one of these ({@link UplinkTies}). For IPv4 it
 * reads the main table. Without {@link HostNetwork}, only the first of several next hops of a route is known, and only
 * the subnet of an address.
 */
record UplinkProbe(HostFiles files) {

    private static final String ROUTES = "proc/net/route";
    private static final String IPV6_ROUTES = "proc/net/ipv6_route";
    private static final String IPV6_ADDRESSES = "proc/net/if_inet6";

    // Columns of route.
    private static final int DESTINATION = 1;
    private static final int GATEWAY = 2;
    private static final int FLAGS = 3;
    private static final int MASK = 7;

    private static final String IPV6_ANY = "0".repeat(32);
    private static final int IPV6_ROUTE_COLUMNS = 10;
    private static final int IPV6_ADDRESS_COLUMNS = 6;

    private static final int UP = 0x1;
    private static final int REJECT = 0x200;

    record FoundUplinks(Uplinks uplinks, Map<InterfaceName, List<Ipv4.Subnet>> subnets) {}

    /** Reads the routes and the owners of the node's addresses. */
    FoundUplinks read(List<NicReading> readings, RdmaSettings settings, Set<InetAddress> nodeAddresses) {
        List<Nic> nics =
                readings.stream().flatMap(reading -> reading.asNic().stream()).toList();
        List<Route> routes;
        try {
            routes = routes(files.read(ROUTES));
        } catch (IOException failure) {
            return new FoundUplinks(new Uplinks.UnknownUplinks(RdmaProbe.reason(ROUTES, failure)), Map.of());
        }
        List<InterfaceName> netdevs =
                readings.stream().flatMap(reading -> reading.netdevs().stream()).toList();
        return new FoundUplinks(uplinks(routes, nics, netdevs, settings, nodeAddresses), subnets(routes, nics));
    }

    /** The subnets of the NICs, by interface, with all interfaces that share one of these subnets. */
    private static Map<InterfaceName, List<Ipv4.Subnet>> subnets(List<Route> routes, List<Nic> nics) {
        Set<InterfaceName> own =
                nics.stream().flatMap(nic -> nic.interfaceName().stream()).collect(Collectors.toSet());
        Set<Ipv4.Subnet> theirs = routes.stream()
                .filter(route -> route.isOnLink() && own.contains(route.netdev()))
                .map(Route::destination)
                .collect(Collectors.toSet());
        return routes.stream()
                .filter(route -> route.isOnLink() && theirs.contains(route.destination()))
                .distinct()
                .collect(Collectors.groupingBy(
                        Route::netdev, Collectors.mapping(Route::destination, Collectors.toUnmodifiableList())));
    }

    private Uplinks uplinks(
            List<Route> routes,
            List<Nic> nics,
            List<InterfaceName> netdevs,
            RdmaSettings settings,
            Set<InetAddress> nodeAddresses) {
        Map<InterfaceName, String> reasons = new LinkedHashMap<>();
        settings.uplinks()
                .forEach(name ->
                        InterfaceName.parse(name).ifPresent(one -> reasons.put(one, "is configured as an uplink")));
        Optional<Set<InterfaceName>> allHops = new HostNetwork(files).defaultRoutes();
        Set<InterfaceName> hops = allHops.orElseGet(() -> firstHops(routes));
        hops.forEach(name -> reasons.putIfAbsent(name, "carries the IPv4 default route"));
        try {
            ipv6DefaultRoutes(ipv6(IPV6_ROUTES))
                    .forEach(name -> reasons.putIfAbsent(name, "carries the IPv6 default route"));
            Set<InetAddress> own = new HashSet<>(nodeAddresses);
            settings.nodeAddresses().forEach(address -> own.add(InetAddress.ofLiteral(address)));
            if (!own.isEmpty()) {
                owners(own, routes, nics).forEach(reasons::putIfAbsent);
            }
        } catch (IOException failure) {
            return new Uplinks.UnknownUplinks(String.valueOf(failure.getMessage()));
        }
        var ties = new UplinkTies(files);
        ties.addTo(reasons, netdevs);
        boolean unset = settings.uplinks().isEmpty();
        return new Uplinks.KnownUplinks(
                reasons,
                unset && allHops.isEmpty() ? hops : Set.of(),
                unset ? ties.tunnels(reasons.keySet()) : Set.of());
    }

    private static Set<InterfaceName> firstHops(List<Route> routes) {
        return routes.stream()
                .filter(Route::isDefault)
                .map(Route::netdev)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * The interfaces with one of these addresses, each with the reason: from the kernel, or from files if it does not
     * answer.
     */
    private Map<InterfaceName, String> owners(Set<InetAddress> own, List<Route> routes, List<Nic> nics)
            throws IOException {
        Map<InterfaceName, String> found = new HashMap<>();
        Optional<Map<InetAddress, InterfaceName>> owners = new HostNetwork(files).owners();
        if (owners.isPresent()) {
            own.stream()
                    .filter(owners.get()::containsKey)
                    .forEach(address -> found.putIfAbsent(owners.get().get(address), owns(address)));
        } else {
            Map<String, InterfaceName> ipv6 = ipv6Addresses(ipv6(IPV6_ADDRESSES));
            own.forEach(address -> owners(address, routes, nics, ipv6).forEach(found::putIfAbsent));
        }
        return found;
    }

    /** Reads a file that is missing on a kernel without IPv6. */
    private String ipv6(String path) throws IOException {
        try {
            return files.read(path);
        } catch (NoSuchFileException noIpv6) {
            return "";
        } catch (IOException failure) {
            throw new IOException(RdmaProbe.reason(path, failure), failure);
        }
    }

    /** The owners of the addresses by files: for IPv4 by GIDs, or all interfaces whose subnet contains the address. */
    private static Map<InterfaceName, String> owners(
            InetAddress address, List<Route> routes, List<Nic> nics, Map<String, InterfaceName> ipv6) {
        byte[] bytes = address.getAddress();
        String owns = owns(address);
        if (bytes.length != Integer.BYTES) {
            InterfaceName owner = ipv6.get(HexFormat.of().formatHex(bytes));
            return owner == null ? Map.of() : Map.of(owner, owns);
        }
        var ipv4 = new Ipv4(ByteBuffer.wrap(bytes).getInt());
        Map<InterfaceName, String> byGid = new HashMap<>();
        nics.stream()
                .flatMap(nic -> nic.ports().stream())
                .flatMap(port -> port.gids().stream())
                .filter(gid -> gid.gid().ipv4().filter(ipv4::equals).isPresent())
                .forEach(gid -> gid.netdev().ifPresent(name -> byGid.put(name, owns)));
        if (!byGid.isEmpty()) {
            return byGid;
        }
        String near = "is in the subnet of the node's address " + address.getHostAddress();
        return routes.stream()
                .filter(route -> route.isOnLink() && route.destination().contains(ipv4))
                .collect(Collectors.toMap(Route::netdev, route -> near, (first, again) -> first));
    }

    private static String owns(InetAddress address) {
        return "owns the node's address " + address.getHostAddress();
    }

    /** An IPv4 route of the main table; of an ECMP route the kernel shows the first next hop ({@code fib_trie.c}). */
    record Route(InterfaceName netdev, Ipv4.Subnet destination, boolean gateway) {

        boolean isDefault() {
            return destination.prefixLength() == 0;
        }

        /** Whether the destination is on the link: the subnet of an address of the interface. */
        boolean isOnLink() {
            return !gateway && destination.prefixLength() > 0;
        }
    }

    /** The active routes in {@code /proc/net/route}. */
    static List<Route> routes(String text) {
        List<Route> routes = new ArrayList<>();
        rows(text).filter(columns -> columns.length > MASK).forEach(columns -> {
            Optional<Integer> destination = reversed(columns[DESTINATION]);
            Optional<Integer> gateway = reversed(columns[GATEWAY]);
            Optional<Integer> mask = reversed(columns[MASK]);
            if (inForce(columns[FLAGS], 4) && destination.isPresent() && gateway.isPresent() && mask.isPresent()) {
                var subnet = new Ipv4.Subnet(new Ipv4(destination.get()), Integer.bitCount(mask.get()));
                InterfaceName.parse(columns[0])
                        .ifPresent(name -> routes.add(new Route(name, subnet, gateway.get() != 0)));
            }
        });
        return routes;
    }

    /** The interfaces of default routes in {@code ipv6_route}, with all next hops, of all tables and so of policies. */
    static Set<InterfaceName> ipv6DefaultRoutes(String text) {
        return rows(text)
                .filter(columns -> columns.length == IPV6_ROUTE_COLUMNS
                        && columns[0].equals(IPV6_ANY)
                        && columns[1].equals("00")
                        && !columns[9].equals("lo")
                        && inForce(columns[8], 8))
                .flatMap(columns -> InterfaceName.parse(columns[9]).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The addresses in {@code if_inet6}, each as 32 hexadecimal digits, with their interfaces. */
    static Map<String, InterfaceName> ipv6Addresses(String text) {
        Map<String, InterfaceName> found = new LinkedHashMap<>();
        rows(text)
                .filter(columns -> columns.length == IPV6_ADDRESS_COLUMNS && columns[0].length() == IPV6_ANY.length())
                .forEach(columns -> InterfaceName.parse(columns[5])
                        .ifPresent(name -> found.putIfAbsent(columns[0].toLowerCase(Locale.ROOT), name)));
        return found;
    }

    private static Stream<String[]> rows(String text) {
        return text.lines().map(line -> line.strip().split("\\s+", -1));
    }

    private static boolean inForce(String flags, int digits) {
        return SysfsNumbers.bits(flags, digits)
                .filter(bits -> (bits & UP) != 0 && (bits & REJECT) == 0)
                .isPresent();
    }

    /** IPv4 columns show the bytes in the order of the host, which is little-endian. */
    private static Optional<Integer> reversed(String column) {
        return SysfsNumbers.bits(column, 8).map(Integer::reverseBytes);
    }
}
