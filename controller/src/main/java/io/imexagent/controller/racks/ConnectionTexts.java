package io.imexagent.controller.racks;

import static io.imexagent.controller.racks.FaultTexts.count;
import static io.imexagent.controller.racks.FaultTexts.names;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.racks.PairGroups.BadPair;
import io.imexagent.controller.racks.PairGroups.PairGroup;
import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.List;

/** The fault line for a group of lost or degraded connections. */
record ConnectionTexts(List<ReportedNode> trays, LinkMatrix links, PairGroup group) {

    FaultLine line() {
        List<String> nodes = names(trays, group.nodes());
        boolean lost = group.pairs().stream()
                .anyMatch(pair -> links.between(pair.one(), pair.other()) == LinkMatrix.letter(LinkState.LOST));
        String state = lost ? LinkState.LOST.text() : LinkState.DEGRADED.text();
        int number = group.pairs().size();
        boolean claim = isClaim();
        String claimed = nodes.getFirst() + " calls " + number + " of its "
                + count(trays.size() - 1, "connection ", "connections ") + state
                + ", and the other ends call them connected";
        return new FaultLine(
                switch (group.shape()) {
                    case PART, BROKEN -> RackFaultKind.PARTITION;
                    case NODE -> RackFaultKind.NODE_CONNECTIONS;
                    case PAIR -> RackFaultKind.CONNECTION;
                },
                lost ? Severity.CRITICAL : Severity.WARNING,
                nodes,
                switch (group.shape()) {
                    case PART ->
                        claim
                                ? claimed
                                : FaultTexts.nodesDo(nodes, "is", "are") + " cut off from the other nodes: "
                                        + count(number, "connection is ", "connections are ") + state;
                    case BROKEN ->
                        "the rack is in parts that are not connected, the largest of " + (trays.size() - nodes.size())
                                + " nodes: " + number + " connections are " + state;
                    case NODE ->
                        claim
                                ? claimed
                                : number + " of " + (trays.size() - 1) + " connections of " + nodes.getFirst() + " are "
                                        + state + ": to " + FaultTexts.some(ends());
                    case PAIR ->
                        claim
                                ? nodes.getFirst() + " calls the connection to "
                                        + ends().getFirst() + " " + state + ", and " + ends().getFirst()
                                        + " calls it connected"
                                : "the connection between " + nodes.getFirst() + " and " + nodes.getLast() + " is "
                                        + state;
                },
                group.shape() == PairGroups.GroupShape.BROKEN
                        ? "see the network between the nodes, and port 50000"
                        : FaultTexts.health(nodes) + "; see the network there, and port 50000");
    }

    /** Whether one node alone reports the group's connections bad, while all other ends report them connected. */
    private boolean isClaim() {
        int node = group.nodes().getFirst();
        return group.nodes().size() == 1
                && group.pairs().stream()
                        .allMatch(pair -> links.rows().get(end(pair, node)).charAt(node)
                                == LinkMatrix.letter(LinkState.CONNECTED));
    }

    private List<String> ends() {
        int node = group.nodes().getFirst();
        return names(
                trays,
                group.pairs().stream().map(pair -> end(pair, node)).sorted().toList());
    }

    private static int end(BadPair pair, int node) {
        return pair.one() == node ? pair.other() : pair.one();
    }
}
