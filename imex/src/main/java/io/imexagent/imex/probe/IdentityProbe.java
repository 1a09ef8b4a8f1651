package io.imexagent.imex.probe;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Reads the identity of the host: the addresses of its interfaces, its host names, and the names for these addresses in
 * its {@code /etc/hosts}. It does not query DNS, which may hang and may be wrong; unreadable parts are left out.
 *
 * @param addresses the addresses of the host's interfaces; in a pod with the host's network these are the host's, too
 */
public record IdentityProbe(Path hostRoot, Supplier<Set<NodeAddress>> addresses) {

    private static final List<String> HOST_NAMES = List.of("proc/sys/kernel/hostname", "etc/hostname");
    private static final String HOSTS = "etc/hosts";

    /** The size of the largest file that is read, in bytes; files of host names are smaller. */
    private static final int LARGEST_FILE = 1 << 20;

    public IdentityProbe(Path hostRoot) {
        this(hostRoot, IdentityProbe::interfaces);
    }

    /** Reads the host's names and addresses, and adds those that the cluster has for it. */
    public NodeIdentity read(List<String> inCluster) {
        Set<NodeAddress> own = addresses.get();
        Stream<String> written = Stream.of(
                        HOST_NAMES.stream().flatMap(name -> hostName(name).stream()),
                        lines(HOSTS).flatMap(line -> names(line, own)),
                        inCluster.stream())
                .flatMap(names -> names);
        return new NodeIdentity(own)
                .and(NodeIdentity.of(written.filter(IdentityProbe::isSpecific).toList()));
    }

    /** The first line that is neither empty nor a comment (hostname(5)). */
    private Optional<String> hostName(String path) {
        return lines(path)
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .findFirst();
    }

    /** The names in a line {@code address name name # comment} with an address of the host. */
    private static Stream<String> names(String line, Set<NodeAddress> own) {
        List<String> words = Arrays.stream(line.split("#", 2)[0].split("\\s+"))
                .filter(word -> !word.isEmpty())
                .toList();
        Optional<NodeAddress> address = words.stream().findFirst().flatMap(NodeAddress::of);
        // Debian maps the host's names to 127.0.1.1, other systems add them to the line of localhost.
        boolean ours = address.filter(of -> own.contains(of) || isLoopback(of)).isPresent();
        return ours ? words.stream().skip(1) : Stream.of();
    }

    private static boolean isLoopback(NodeAddress address) {
        return address instanceof NodeAddress.Ip(InetAddress value, var _) && value.isLoopbackAddress();
    }

    /** Whether a name identifies a host, unlike names that every host gives itself. */
    private static boolean isSpecific(String name) {
        return !name.startsWith("localhost") && !name.startsWith("ip6-");
    }

    private Stream<String> lines(String path) {
        Path file = hostRoot.resolve(path);
        // A pipe would block, and a device may never end.
        if (!Files.isRegularFile(file)) {
            return Stream.of();
        }
        try (InputStream bytes = Files.newInputStream(file)) {
            byte[] content = bytes.readNBytes(LARGEST_FILE + 1);
            return content.length <= LARGEST_FILE
                    ? new String(content, StandardCharsets.ISO_8859_1).lines()
                    : Stream.of();
        } catch (IOException unreadable) {
            return Stream.of();
        }
    }

    /**
     * The addresses of the host's interfaces. A link-local address is included with its interface and without it.
     * Loopback addresses are included, too: each host means itself by them.
     */
    private static Set<NodeAddress> interfaces() {
        var found = new HashSet<NodeAddress>();
        try {
            NetworkInterface.networkInterfaces()
                    .forEach(one -> one.inetAddresses().forEach(address -> {
                        InetAddress plain = withoutZone(address);
                        found.add(new NodeAddress.Ip(plain));
                        found.add(NodeAddress.of(plain, one.getName()));
                    }));
        } catch (SocketException unreadable) {
            return Set.of();
        }
        return found;
    }

    private static InetAddress withoutZone(InetAddress address) {
        return InetAddress.ofLiteral(address.getHostAddress().split("%", 2)[0]);
    }
}
