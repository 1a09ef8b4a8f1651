package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Ipv4;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Parses the tables of {@code /proc/net}; a line that is no entry, such as a heading, is passed over. */
final class ProcNet {

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

    private ProcNet() {}

    /**
     * An IPv4 route of the main table. Of an ECMP route the kernel shows the first next hop only
     * ({@code fib_route_seq_show} in net/ipv4/fib_trie.c).
     */
    record Route(InterfaceName netdev, Ipv4.Subnet destination, boolean gateway) {

        boolean isDefault() {
            return destination.prefixLength() == 0;
        }

        /** Whether the destination is on the link: the subnet of an address of the interface. */
        boolean isOnLink() {
            return !gateway && destination.prefixLength() > 0;
        }
    }

    /** The routes in force in {@code route}. */
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

    /**
     * The interfaces of default routes in {@code ipv6_route}. The file shows all next hops of all tables, and does not tell
     * the tables: a default route of a policy's table counts too, which errs on the side of the host.
     */
    static Set<InterfaceName> ipv6DefaultRoutes(String text) {
        Set<InterfaceName> found = new LinkedHashSet<>();
        rows(text)
                .filter(columns -> columns.length == IPV6_ROUTE_COLUMNS
                        && columns[0].equals(IPV6_ANY)
                        && columns[1].equals("00")
                        && !columns[9].equals("lo")
                        && inForce(columns[8], 8))
                .forEach(columns -> InterfaceName.parse(columns[9]).ifPresent(found::add));
        return found;
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
