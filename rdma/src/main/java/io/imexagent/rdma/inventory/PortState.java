package io.imexagent.rdma.inventory;

/** A port's logical state, {@code enum ib_port_state} of rdma/ib_verbs.h. */
public enum PortState {
    /** No link. */
    DOWN,
    /** The link is up and the subnet manager has not been there; InfiniBand only. */
    INIT,
    /** The subnet manager is configuring the port. */
    ARMED,
    /** Ready. */
    ACTIVE,
    /** Was active, and its link has just failed. */
    ACTIVE_DEFER,
    /** The kernel did not tell, or said something else. */
    UNTOLD;

    /** The state in the kernel's text, {@code 4: ACTIVE}. */
    public static PortState of(String text) {
        return switch (text) {
            case "1: DOWN" -> DOWN;
            case "2: INIT" -> INIT;
            case "3: ARMED" -> ARMED;
            case "4: ACTIVE" -> ACTIVE;
            case "5: ACTIVE_DEFER" -> ACTIVE_DEFER;
            default -> UNTOLD;
        };
    }

    /** The state in a word for people and labels. */
    public String text() {
        return this == UNTOLD ? "not told" : name();
    }
}
