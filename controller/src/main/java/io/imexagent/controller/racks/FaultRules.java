package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the faults of a rack, each with its consequences.
 *
 * <p>The cluster's state of a node, and a node's verdict about its own nvidia-imex, are faults and never consequences.
 * A lost or degraded connection is a consequence of such a fault of either end, or of the file of nodes or the driver
 * of an end; other connections are grouped by {@link PairGroups}. A node's verdict about other nodes is a consequence
 * of the fault that explains a bad connection of this node, otherwise of faults that two nodes report. Therefore a node
 * that reports falsely adds lines about itself only, and hides no fault of another node.
 */
final class FaultRules {

    private FaultRules() {}

    /** The faults of a clique with these nodes, the worst first. {@code unplaced} has the nodes without a clique. */
    static List<RackFault> of(
            CliqueReport clique, RackAddresses addresses, LinkMatrix links, ProofMatrix proof, RackAddresses unplaced) {
        List<ReportedNode> trays = addresses.trays();
        var found = new FoundFaults(trays);
        var nodes = new NodeRules(found);
        nodes.ownFaults(true);
        nodes.findings();
        nodes.channels(clique);
        nodes.files(
                clique.clique(),
                clique.nodesFiles().faults(),
                IntStream.range(trays.size(), trays.size() + links.others().size())
                        .anyMatch(column -> links.reporters(column).size() > 1));
        nodes.drivers();
        var connections = new ConnectionRules(found, links);
        connections.connections();
        connections.claims(addresses);
        connections.addresses(unplaced);
        connections.imports(proof.failures());
        connections.verdicts();
        nodes.gpus();
        return found.faults();
    }

    /** The faults of nodes without a clique: those that do not answer, and critical findings. */
    static List<RackFault> ofUnplaced(List<ReportedNode> nodes) {
        var found = new FoundFaults(nodes);
        var rules = new NodeRules(found);
        rules.ownFaults(false);
        rules.findings();
        return found.faults();
    }
}
