package io.imexagent.fabric.run;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.fabric.result.FabricResult.NodePair;
import io.imexagent.fabric.result.FabricResult.StatusMatrix;
import io.imexagent.fabric.result.RingPlan;
import io.imexagent.fabric.result.TestedNode;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The nodes of a run, all of one clique, as their agents published them at one moment. */
public record RunTarget(CliqueId clique, List<Stored<NvlinkNode>> nodes) {

    public RunTarget {
        nodes = List.copyOf(nodes);
    }

    /**
     * Returns the nodes to test: all of a clique, or the named ones. If no clique is given, it is the clique of the
     * named nodes, or the only one of the cluster.
     */
    public static RunTarget of(List<Stored<NvlinkNode>> published, Optional<CliqueId> clique, List<String> named)
            throws RunRefusedException {
        Map<String, CliqueId> cliques = new TreeMap<>();
        published.forEach(node -> node.content().status().clique().ifPresent(at -> cliques.put(node.name(), at)));
        for (String name : named) {
            if (!cliques.containsKey(name)) {
                throw new RunRefusedException("node " + name
                        + " is in no NVLink clique, by its NVLinkNode; imex-agent racks shows which nodes are");
            }
        }
        TreeSet<CliqueId> meant = new TreeSet<>(clique.map(List::of)
                .orElseGet(() -> (named.isEmpty() ? cliques.keySet().stream() : named.stream())
                        .map(cliques::get)
                        .distinct()
                        .toList()));
        if (meant.isEmpty()) {
            throw new RunRefusedException("no node of the cluster is in an NVLink clique, by its NVLinkNode; agents"
                    + " publish that under the feature gate HostManagedIMEX");
        }
        if (meant.size() > 1) {
            throw new RunRefusedException("a run tests one clique, and there are " + meant.size() + ": name one with"
                    + " --clique: " + meant.stream().map(CliqueId::text).collect(Collectors.joining(", ")));
        }
        CliqueId one = meant.first();
        for (String name : named) {
            if (!one.equals(cliques.get(name))) {
                throw new RunRefusedException(
                        "node " + name + " is in clique " + cliques.get(name) + ", not in " + one);
            }
        }
        List<Stored<NvlinkNode>> nodes = published.stream()
                .filter(node -> one.equals(cliques.get(node.name())))
                .filter(node -> named.isEmpty() || named.contains(node.name()))
                .sorted(Comparator.comparing(Stored::name))
                .toList();
        if (nodes.size() < 2 || nodes.size() > RingPlan.MOST) {
            throw new RunRefusedException("a run needs 2 to " + RingPlan.MOST + " nodes, and " + nodes.size()
                    + " of clique " + one + " were named; imex-agent racks shows which nodes it has");
        }
        return new RunTarget(one, nodes);
    }

    /** Returns the names of the nodes. */
    public List<String> names() {
        return nodes.stream().map(Stored::name).toList();
    }

    /** Returns the nodes with the identities for which a result is valid. */
    public List<TestedNode> tested() {
        return nodes.stream()
                .map(node -> new TestedNode(node.name(), FabricIdentity.of(node)))
                .toList();
    }

    /** Returns these nodes as they are published now, without those that left the clique. */
    RunTarget later(List<Stored<NvlinkNode>> published) {
        List<String> names = names();
        return new RunTarget(
                clique,
                published.stream()
                        .filter(node -> names.contains(node.name())
                                && node.content().status().clique().equals(Optional.of(clique)))
                        .toList());
    }

    /**
     * Returns the states of the connections between the nodes. If two daemons report one connection, the worse known
     * state counts.
     */
    public StatusMatrix status() {
        var directory = new NodeDirectory(nodes.stream()
                .map(node -> node.content().status().identity(node.name()))
                .toList());
        Map<NodePair, LinkState> links = new HashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            int one = node;
            nodes.get(node)
                    .content()
                    .status()
                    .links()
                    .map(NodeLinks::byAddress)
                    .orElse(Map.of())
                    .forEach((address, state) -> {
                        OptionalInt other = directory.find(NodeIdentity.of(List.of(address)));
                        if (other.isPresent() && other.getAsInt() != one && state != LinkState.UNKNOWN) {
                            links.merge(
                                    NodePair.of(one, other.getAsInt()),
                                    state,
                                    (before, now) -> now.compareTo(before) > 0 ? now : before);
                        }
                    });
        }
        return new StatusMatrix(links);
    }
}
