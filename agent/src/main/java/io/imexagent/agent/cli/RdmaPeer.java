package io.imexagent.agent.cli;

import io.imexagent.agent.rdma.RdmaPolicy;
import io.imexagent.agent.rdma.RdmaSettings;
import io.imexagent.agent.rdma.RdmaView;
import io.imexagent.rdma.selection.PeerDifference;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.SelectionPolicy;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The NICs of another node, as its summary prints them.
 *
 * @param names interfaces or RDMA devices
 */
record RdmaPeer(Set<String> names) {

    /** The variable that the harness of the sandboxes takes the list from. */
    private static final String VARIABLE = "RDMA_PEER_IFACES=";

    RdmaPeer {
        names = Set.copyOf(names);
    }

    /** The names in the list. */
    static RdmaPeer parse(String list) {
        String names = list.strip();
        names = (names.startsWith(VARIABLE) ? names.substring(VARIABLE.length()) : names).replace("\"", "");
        var found = new LinkedHashSet<>(Arrays.asList(names.split("[,\\s]+", -1)));
        found.remove("");
        return new RdmaPeer(found);
    }

    /** The view under this peer set, over the same reading. */
    RdmaView applied(RdmaView view, RdmaSettings config) {
        SelectionPolicy policy = RdmaPolicy.selection(config).withPeer(names);
        return new RdmaView(view.inventory(), new RailSelector(policy).select(view.inventory()));
    }

    /** How the rails of this node, whatever the peer has, differ from the peer's. */
    PeerDifference difference(RdmaView view, RdmaSettings config) {
        SelectionPolicy policy = RdmaPolicy.selection(config).forComparison();
        List<Rail> rails = new RailSelector(policy).select(view.inventory()).rails();
        return PeerDifference.of(rails, names);
    }
}
