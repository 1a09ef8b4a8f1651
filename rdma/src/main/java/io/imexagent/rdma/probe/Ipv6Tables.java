package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code /proc/net/ipv6_route} and {@code /proc/net/if_inet6}; lines that are none are passed over. */
final class Ipv6Tables {

    private static final String ANY = "0".repeat(32);
    private static final int ROUTE_COLUMNS = 10;
    private static final int FLAGS = 8;
    private static final int NETDEV = 9;
    private static final int ADDRESS_COLUMNS = 6;
    private static final int UP = 0x1;
    private static final int REJECT = 0x200;

    private Ipv6Tables() {}

    /**
     * The interfaces of default routes. The file shows all next hops of all tables, and does not tell the tables: a
     * default route of a policy's table counts too, which errs on the side of the host.
     */
    static Set<InterfaceName> defaultRoutes(String text) {
        Set<InterfaceName> found = new LinkedHashSet<>();
        text.lines().forEach(line -> {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length == ROUTE_COLUMNS
                    && columns[0].equals(ANY)
                    && columns[1].equals("00")
                    && !columns[NETDEV].equals("lo")
                    && SysfsNumbers.bits(columns[FLAGS], 8)
                            .filter(flags -> (flags & UP) != 0 && (flags & REJECT) == 0)
                            .isPresent()) {
                InterfaceName.parse(columns[NETDEV]).ifPresent(found::add);
            }
        });
        return found;
    }

    /** The addresses, each as 32 hexadecimal digits, with their interfaces. */
    static Map<String, InterfaceName> addresses(String text) {
        Map<String, InterfaceName> found = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length == ADDRESS_COLUMNS && columns[0].length() == ANY.length()) {
                Optional<InterfaceName> netdev = InterfaceName.parse(columns[ADDRESS_COLUMNS - 1]);
                netdev.ifPresent(name -> found.putIfAbsent(columns[0].toLowerCase(Locale.ROOT), name));
            }
        });
        return found;
    }
}
