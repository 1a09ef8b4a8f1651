package io.imexagent.imex.query;

import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.report.NodeReport;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;

/** What this host is called, to find it among the nodes of a report that does not mark it. */
public final class LocalNames {

    private final Supplier<Set<String>> names;

    /** Names that are asked for each time. */
    public LocalNames(Supplier<Set<String>> names) {
        this.names = names;
    }

    /** The addresses of this host's interfaces, and this name. */
    public static LocalNames ofHost(String hostName) {
        return new LocalNames(() -> {
            var names = new HashSet<>(Set.of(hostName));
            try {
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(address -> !address.isLoopbackAddress())
                        .map(InetAddress::getHostAddress)
                        .map(LocalNames::withoutZone)
                        .forEach(names::add);
            } catch (SocketException unreadable) {
                // The name alone may do; without a match, no node is marked.
            }
            return names;
        });
    }

    /** The report with this host's node marked, where exactly one fits. */
    DomainReport mark(DomainReport report) {
        if (report.local().isPresent()) {
            return report;
        }
        Set<String> mine = names.get();
        int[] fitting = report.nodes().stream()
                .filter(node -> mine.contains(node.address())
                        || node.hostName().filter(mine::contains).isPresent())
                .mapToInt(NodeReport::index)
                .toArray();
        return fitting.length == 1 ? report.withLocal(OptionalInt.of(fitting[0])) : report;
    }

    private static String withoutZone(String address) {
        int zone = address.indexOf('%');
        return zone < 0 ? address : address.substring(0, zone);
    }
}
