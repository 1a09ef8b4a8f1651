package io.imexagent.rdma.watch;

import java.net.InetAddress;
import java.util.Set;

/** The addresses under which the cluster knows this node. */
public sealed interface KnownAddresses {

    /**
     * These.
     *
     * @param addresses IP addresses of the Node object; at least one
     */
    record Known(Set<InetAddress> addresses) implements KnownAddresses {

        /** Copies the set in. */
        public Known {
            addresses = Set.copyOf(addresses);
        }
    }

    /**
     * The cluster was asked and has not answered: an interface that owns such an address may pass for a rail.
     *
     * @param reason why, as a clause
     */
    record Unknown(String reason) implements KnownAddresses {}

    /** The cluster is not asked, as in a command. */
    record NotAsked() implements KnownAddresses {}

    /** Those that are known; none else. */
    default Set<InetAddress> known() {
        return switch (this) {
            case Known known -> known.addresses();
            case Unknown _, NotAsked _ -> Set.of();
        };
    }
}
