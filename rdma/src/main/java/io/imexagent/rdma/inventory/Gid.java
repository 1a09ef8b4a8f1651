package io.imexagent.rdma.inventory;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** A GID: 128 bits that name a port to its peers, written as the kernel does, in eight groups of four digits. */
public record Gid(long prefix, long interfaceId) {

    private static final Pattern GRAMMAR = Pattern.compile("(?:[0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4}");
    private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;
    private static final long MAPPED = 0x0000_ffffL;

    /** The GID in the kernel's text, without blanks around it, or empty. */
    public static Optional<Gid> parse(String text) {
        if (!GRAMMAR.matcher(text).matches()) {
            return Optional.empty();
        }
        String digits = text.replace(":", "");
        return Optional.of(
                new Gid(HexFormat.fromHexDigitsToLong(digits, 0, 16), HexFormat.fromHexDigitsToLong(digits, 16, 32)));
    }

    /** Whether it is that of an empty slot. */
    public boolean isZero() {
        return prefix == 0 && interfaceId == 0;
    }

    /** Whether it lies in fe80::/64, and so leads no further than the link. */
    public boolean isLinkLocal() {
        return prefix == LINK_LOCAL;
    }

    /** The IPv4 address that it holds ({@code ::ffff:a.b.c.d}), or empty. */
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

    /** A used slot of a port's GID table. The interface is empty where the kernel tells none, as for InfiniBand. */
    public record GidEntry(int index, Gid gid, GidType type, Optional<InterfaceName> netdev) {

        /** Whether RoCE v2 can leave the link with it. */
        public boolean isUsable() {
            return type == GidType.ROCE_V2 && netdev.isPresent() && !gid.isZero() && !gid.isLinkLocal();
        }
    }

    /** What kind of GID a slot holds, as {@code gid_attrs/types} says. */
    public enum GidType {
        /** An InfiniBand GID, or one of RoCE within one Ethernet segment. */
        INFINIBAND_OR_ROCE_V1("IB/RoCE v1"),
        /** RoCE over UDP, which routers forward. */
        ROCE_V2("RoCE v2"),
        /** A word that this agent does not know. */
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
