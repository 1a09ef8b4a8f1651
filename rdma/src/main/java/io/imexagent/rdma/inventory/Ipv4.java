package io.imexagent.rdma.inventory;

import java.util.Optional;

/**
 * An IPv4 address.
 *
 * @param bits its 32 bits, the first octet in the highest
 */
public record Ipv4(int bits) {

    private static final int OCTETS = 4;

    /** The address in dotted decimal, or empty. */
    public static Optional<Ipv4> parse(String text) {
        String[] octets = text.split("\\.", -1);
        if (octets.length != OCTETS) {
            return Optional.empty();
        }
        int bits = 0;
        for (String octet : octets) {
            boolean plain = !octet.isEmpty()
                    && octet.length() <= 3
                    && octet.chars().allMatch(c -> c >= '0' && c <= '9')
                    && (octet.length() == 1 || octet.charAt(0) != '0');
            if (!plain || Integer.parseInt(octet) > 255) {
                return Optional.empty();
            }
            bits = (bits << 8) | Integer.parseInt(octet);
        }
        return Optional.of(new Ipv4(bits));
    }

    @Override
    public String toString() {
        return (bits >>> 24) + "." + ((bits >>> 16) & 0xff) + "." + ((bits >>> 8) & 0xff) + "." + (bits & 0xff);
    }
}
