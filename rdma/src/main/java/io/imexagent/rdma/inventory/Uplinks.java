package io.imexagent.rdma.inventory;

import java.util.Map;
import java.util.Set;

/** Which interfaces carry the host's own traffic. */
public sealed interface Uplinks {

    /**
     * These.
     *
     * @param reasons each with the reason, as a clause: {@code carries the IPv4 default route}
     * @param firstHops the interfaces of IPv4 default routes that may have further next hops, which the kernel's file does
     *     not show; none where the operator has named uplinks
     */
    record Known(Map<InterfaceName, String> reasons, Set<InterfaceName> firstHops) implements Uplinks {

        /** Copies the collections in. */
        public Known {
            reasons = Map.copyOf(reasons);
            firstHops = Set.copyOf(firstHops);
        }
    }

    /**
     * It cannot be told, so nothing may be taken for a rail.
     *
     * @param reason why, as a clause
     */
    record Unknown(String reason) implements Uplinks {}
}
