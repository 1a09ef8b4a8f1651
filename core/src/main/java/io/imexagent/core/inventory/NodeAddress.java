package io.imexagent.core.inventory;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address or a host name of a node, as {@code nodes_config.cfg}, a daemon or the cluster gives it. Addresses are
 * equal in whatever form they are written; names are compared without regard to case. No name is resolved.
 */
public sealed interface NodeAddress {

    /** An IP address. A link-local IPv6 address has the interface that stands after its {@code %}, its zone. */
    record Ip(InetAddress value, String zone) implements NodeAddress {

        /** An address that means the same on every interface. */
        public Ip(InetAddress value) {
            this(value, "");
        }

        @Override
        public String toString() {
            String address = value.getHostAddress().split("%", 2)[0];
            return zone.isEmpty() ? address : address + "%" + zone;
        }
    }

    /** A host name, in lower case and without the dot of the root. */
    record HostName(String text) implements NodeAddress {

        public HostName {
            text = text.toLowerCase(Locale.ROOT);
            text = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        }

        /** The name without its domain. */
        public String label() {
            int dot = text.indexOf('.');
            return dot < 0 ? text : text.substring(0, dot);
        }

        /** Whether the name has a domain. */
        public boolean isFull() {
            return text.indexOf('.') >= 0;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * Matches an IPv4 address of four numbers. A single number is a host name here, although the JDK and C read it as
     * an address.
     */
    Pattern IPV4 = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    /** The address or host name of a text; empty if the text is blank. */
    static Optional<NodeAddress> of(String written) {
        String text = written.strip();
        String[] parts = text.split("%", 2);
        if (parts[0].indexOf(':') >= 0 || IPV4.matcher(parts[0]).matches()) {
            try {
                return Optional.of(of(InetAddress.ofLiteral(parts[0]), parts.length > 1 ? parts[1] : ""));
            } catch (IllegalArgumentException noAddress) {
                // Not an address, so it is a name, although hardly a host's; it equals itself.
            }
        }
        return Optional.of(new HostName(text))
                .filter(name -> !name.text().isEmpty())
                .map(NodeAddress.class::cast);
    }

    /** The address of a network interface. */
    static Ip of(InetAddress address, String networkInterface) {
        return new Ip(address, address.isLinkLocalAddress() ? networkInterface : "");
    }
}
