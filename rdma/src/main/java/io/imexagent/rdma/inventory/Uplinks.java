package io.imexagent.rdma.inventory;

import java.util.Map;

/** Which interfaces carry the host's own traffic. */
public sealed interface Uplinks {

    /**
     * These.
     *
     * @param reasons each with the reason, as a clause: {@code carries the IPv4 default route}
     */
    record Known(Map<InterfaceName, String> reasons) implements Uplinks {

        /** Copies the map in. */
        public Known {
            reasons = Map.copyOf(reasons);
        }
    }

    /**
     * It cannot be told, so nothing may be taken for a rail.
     *
     * @param reason why, as a clause
     */
    record Unknown(String reason) implements Uplinks {}
}
