package io.imexagent.rdma.watch;

import io.imexagent.rdma.setting.RdmaSettings;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The addresses under which the cluster knows this node. */
public sealed interface KnownAddresses {

    /** These. */
    record Known(Set<InetAddress> addresses) implements KnownAddresses {

        public Known {
            addresses = Set.copyOf(addresses);
        }

        /** They as text, sorted. */
        public List<String> texts() {
            return addresses.stream().map(InetAddress::getHostAddress).sorted().toList();
        }
    }

    /** The cluster has not answered, for this reason (a clause): an interface that owns such an address may pass for a rail. */
    record Unknown(String reason) implements KnownAddresses {}

    default Set<InetAddress> known() {
        return this instanceof Known(Set<InetAddress> addresses) ? addresses : Set.of();
    }

    /** Why uplinks that only these addresses tell are not known; empty where they are, or the operator names addresses. */
    default Optional<String> missing(RdmaSettings settings) {
        return this instanceof Unknown(String reason)
                        && settings.nodeAddresses().isEmpty()
                ? Optional.of(reason)
                : Optional.empty();
    }
}
