package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An IPv4 route of the main table, a line of {@code /proc/net/route}. Of an ECMP route that file shows the first next hop
 * only ({@code fib_route_seq_show} in net/ipv4/fib_trie.c).
 *
 * @param netdev the interface
 * @param destination where it leads; 0.0.0.0/0 for a default route
 * @param gateway whether a gateway is in between
 */
record Route(InterfaceName netdev, Subnet destination, boolean gateway) {

    private static final int COLUMNS = 8;
    private static final int DESTINATION = 1;
    private static final int GATEWAY = 2;
    private static final int FLAGS = 3;
    private static final int MASK = 7;
    private static final int UP = 0x1;
    private static final int REJECT = 0x200;

    /** The routes that are in force; lines that are none, the heading among them, are passed over. */
    static List<Route> parse(String text) {
        List<Route> routes = new ArrayList<>();
        text.lines().forEach(line -> line(line).ifPresent(routes::add));
        return routes;
    }

    private static Optional<Route> line(String line) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns.length < COLUMNS) {
            return Optional.empty();
        }
        Optional<Integer> flags = SysfsNumbers.bits(columns[FLAGS], 4);
        Optional<Integer> destination =
                SysfsNumbers.bits(columns[DESTINATION], 8).map(Integer::reverseBytes);
        Optional<Integer> gateway = SysfsNumbers.bits(columns[GATEWAY], 8);
        Optional<Integer> mask = SysfsNumbers.bits(columns[MASK], 8).map(Integer::reverseBytes);
        if (flags.isEmpty() || destination.isEmpty() || gateway.isEmpty() || mask.isEmpty()) {
            return Optional.empty();
        }
        boolean inForce = (flags.get() & UP) != 0 && (flags.get() & REJECT) == 0;
        int prefixLength = Integer.bitCount(mask.get());
        return inForce
                ? InterfaceName.parse(columns[0])
                        .map(name -> new Route(
                                name, new Subnet(new Ipv4(destination.get()), prefixLength), gateway.get() != 0))
                : Optional.empty();
    }

    boolean isDefault() {
        return destination.prefixLength() == 0;
    }

    /** Whether the destination is on the link: the subnet of an address of the interface. */
    boolean isOnLink() {
        return !gateway && destination.prefixLength() > 0;
    }
}
