package io.imexagent.rdma.inventory;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** A GID: 128 bits that name a port to its peers, written as the kernel does, in eight groups of four digits. */
public record Gid(long prefix, long interfaceId) {

    private static final Pattern GRAMMAR = Pattern.compile("(?:[0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4}");
    private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;
    private static final long MAPPED = 0x0000_ffffL;

    /** Parses the kernel's text of a GID, without surrounding blanks; empty for any other text. */
    public static Optional<Gid> parse(String text) {
        if (!GRAMMAR.matcher(text).matches()) {
            return Optional.empty();
        }
        String digits = text.replace(":", "");
        return Optional.of(
                new Gid(HexFormat.fromHexDigitsToLong(digits, 0, 16), HexFormat.fromHexDigitsToLong(digits, 16, 32)));
    }

    /** Whether the GID is zero, as in an empty slot. */
    public boolean isZero() {
        return prefix == 0 && interfaceId == 0;
    }

    /** Whether the GID is in fe80::/64, which is valid on the link alone. */
    public boolean isLinkLocal() {
        return prefix == LINK_LOCAL;
    }

    /** The IPv4 address in the GID ({@code ::ffff:a.b.c.d}), or empty. */
    public Optional<Ipv4> ipv4() {
        return prefix == 0 && interfaceId >>> 32 == MAPPED
                ? Optional.of(new Ipv4((int) interfaceId))
                : Optional.empty();
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return (hex.toHexDigits(prefix) + hex.toHexDigits(interfaceId)).replaceAll("(.{4})(?!$)", "$1:");
    }

    /** A used slot of a port's GID table. The interface is empty if the kernel reports none, as for InfiniBand. */
    public record GidEntry(int index, Gid gid, GidType type, Optional<InterfaceName> netdev) {

        /** Whether RoCE v2 traffic can leave the link with this GID. */
        public boolean isUsable() {
            return type == GidType.ROCE_V2 && netdev.isPresent() && !gid.isZero() && !gid.isLinkLocal();
        }
    }

    /** The type of a GID, by the kernel's text in {@code gid_attrs/types}. */
    public enum GidType {
        /** An InfiniBand GID, or one of RoCE within one Ethernet segment. */
        INFINIBAND_OR_ROCE_V1("IB/RoCE v1"),
        /** RoCE over UDP, which routers forward. */
        ROCE_V2("RoCE v2"),
        /** The text is unknown to this agent. */
        UNLISTED("not known");

        private final String text;

        GidType(String text) {
            this.text = text;
        }

        public static GidType of(String word) {
            return switch (word) {
                case "IB/RoCE v1" -> INFINIBAND_OR_ROCE_V1;
                case "RoCE v2" -> ROCE_V2;
                default -> UNLISTED;
            };
        }

        public String text() {
            return text;
        }
    }
}
