package io.imexagent.rdma.check;

import io.imexagent.rdma.selection.PeerDifference;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RdmaSettings;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The NICs of another node, as its summary prints them.
 *
 * @param names interfaces or RDMA devices
 */
public record RdmaPeer(Set<String> names) {

    /** The variable that the harness of the sandboxes takes the list from. */
    private static final String VARIABLE = "RDMA_PEER_IFACES=";

    public RdmaPeer {
        names = Set.copyOf(names);
    }

    /** The names in the list. */
    public static RdmaPeer parse(String list) {
        String names = list.strip();
        names = (names.startsWith(VARIABLE) ? names.substring(VARIABLE.length()) : names).replace("\"", "");
        var found = new LinkedHashSet<>(Arrays.asList(names.split("[,\\s]+", -1)));
        found.remove("");
        return new RdmaPeer(found);
    }

    /** The view under this peer set, over the same reading. */
    public RdmaView applied(RdmaView view, RdmaSettings config) {
        return view.under(RdmaReader.policy(config).withPeer(names));
    }

    /** How the rails of this node, whatever the peer has, differ from the peer's. */
    public PeerDifference difference(RdmaView view, RdmaSettings config) {
        RdmaView alone = view.under(RdmaReader.policy(config).forComparison());
        return PeerDifference.of(alone.selection().rails(), names);
    }
}
