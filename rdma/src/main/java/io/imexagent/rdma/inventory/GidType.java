package io.imexagent.rdma.inventory;

/** What kind of GID a slot holds, as {@code gid_attrs/types} tells. */
public enum GidType {
    /** {@code IB/RoCE v1}: an InfiniBand GID, or one of RoCE within one Ethernet segment. */
    INFINIBAND_OR_ROCE_V1,
    /** {@code RoCE v2}: RoCE over UDP, which routers forward. */
    ROCE_V2,
    /** A word that this agent does not know. */
    UNLISTED;

    /** The type that the kernel's word means. */
    public static GidType of(String word) {
        return switch (word) {
            case "IB/RoCE v1" -> INFINIBAND_OR_ROCE_V1;
            case "RoCE v2" -> ROCE_V2;
            default -> UNLISTED;
        };
    }

    /** The kernel's word. */
    public String text() {
        return switch (this) {
            case INFINIBAND_OR_ROCE_V1 -> "IB/RoCE v1";
            case ROCE_V2 -> "RoCE v2";
            case UNLISTED -> "not known";
        };
    }
}
