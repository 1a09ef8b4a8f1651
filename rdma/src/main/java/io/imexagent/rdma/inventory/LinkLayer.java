package io.imexagent.rdma.inventory;

/** What a port's link speaks. */
public enum LinkLayer {
    /** Ethernet: RDMA is RoCE. */
    ETHERNET("Ethernet"),
    /** InfiniBand. */
    INFINIBAND("InfiniBand"),
    /** The kernel did not tell, or said something else. */
    UNTOLD("not told");

    private final String text;

    LinkLayer(String text) {
        this.text = text;
    }

    /** The layer that the kernel's word in {@code link_layer} means. */
    public static LinkLayer of(String word) {
        return switch (word) {
            case "Ethernet" -> ETHERNET;
            case "InfiniBand" -> INFINIBAND;
            default -> UNTOLD;
        };
    }

    /** The kernel's word. */
    public String text() {
        return text;
    }
}
