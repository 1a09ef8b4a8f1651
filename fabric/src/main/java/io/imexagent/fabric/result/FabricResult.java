package io.imexagent.fabric.result;

import io.imexagent.fabric.result.NodeEvidence.NodeRow;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a run found: the state of every pair of nodes, importers as rows and exporters as columns, and what nvidia-imex
 * says of the same pairs. {@code unchecked} is why it is not known whether the nodes stayed the same during the run; empty
 * where that is known.
 */
public record FabricResult(
        FabricRunName run,
        Instant at,
        List<NodeEvidence> nodes,
        List<List<PairState>> matrix,
        StatusMatrix status,
        Optional<String> unchecked) {

    /** Which run it was: its ID, the namespace, the clique, and the level of its imports. */
    public record FabricRunName(String id, String namespace, String clique, String level) {}

    /** What nvidia-imex says of the connection between two nodes, by their numbers, the smaller one first. */
    public record StatusMatrix(Map<NodePair, LinkState> links) {

        public StatusMatrix {
            links = Map.copyOf(links);
        }

        /** The state of a connection; unknown where no daemon says one. */
        public LinkState between(int one, int other) {
            return links.getOrDefault(NodePair.of(one, other), LinkState.UNKNOWN);
        }
    }

    /** Two nodes, by their numbers, the smaller one first. */
    public record NodePair(int one, int other) {

        /** The pair of two nodes, in either order. */
        public static NodePair of(int one, int other) {
            return new NodePair(Math.min(one, other), Math.max(one, other));
        }
    }

    /** An import, by the numbers of its nodes. */
    public record NodeImport(int importer, int exporter) {}

    public FabricResult {
        nodes = List.copyOf(nodes);
        matrix = matrix.stream().map(List::copyOf).toList();
    }

    /** The result of this evidence. */
    public static FabricResult of(FabricRunName run, Instant at, List<NodeEvidence> nodes, StatusMatrix status) {
        List<List<PairState>> matrix = nodes.stream()
                .map(importer -> nodes.stream()
                        .map(exporter -> NodeEvidence.pair(importer, exporter))
                        .toList())
                .toList();
        return new FabricResult(run, at, nodes, matrix, status, Optional.empty());
    }

    /** The same, where it is not known whether the nodes stayed the same, for this reason. */
    public FabricResult unchecked(String reason) {
        return new FabricResult(run, at, nodes, matrix, status, Optional.of(reason));
    }

    /** All imports between two nodes, row by row. */
    public Stream<NodeImport> imports() {
        List<NodeImport> all = new ArrayList<>();
        for (int importer = 0; importer < nodes.size(); importer++) {
            for (int exporter = 0; exporter < nodes.size(); exporter++) {
                if (importer != exporter) {
                    all.add(new NodeImport(importer, exporter));
                }
            }
        }
        return all.stream();
    }

    /** What an import came to. */
    public PairState state(NodeImport one) {
        return matrix.get(one.importer()).get(one.exporter());
    }

    /** The name of a node. */
    public String name(int node) {
        return nodes.get(node).node().name();
    }

    /** How many nodes took part. */
    public int participants() {
        return (int) nodes.stream().filter(NodeRow.class::isInstance).count();
    }

    /** Whether any import was tried. */
    public boolean tried() {
        return imports().anyMatch(one -> !(state(one) instanceof PairState.UntriedPair));
    }

    /** What the run came to as a whole. */
    public FabricVerdict verdict() {
        if (participants() < 2
                || !tried()
                || imports().anyMatch(one -> state(one).isBad())) {
            return FabricVerdict.FAILED;
        }
        return unchecked.isEmpty() && imports().allMatch(one -> state(one) instanceof PairState.ProvenPair)
                ? FabricVerdict.PROVEN
                : FabricVerdict.PARTLY_PROVEN;
    }

    /** Who is to blame. */
    public List<Blame> blame() {
        return Blame.of(matrix);
    }

    /** Imports that failed or hung although nvidia-imex says that the two nodes are connected. */
    public List<NodeImport> contradictions() {
        return imports()
                .filter(one ->
                        state(one).isBad() && status.between(one.importer(), one.exporter()) == LinkState.CONNECTED)
                .toList();
    }

    /** Why a node took no part; empty where it did. */
    public Optional<String> absence(int node) {
        return nodes.get(node) instanceof NodeEvidence.NodeAbsent(TestedNode _, String reason)
                ? Optional.of(reason)
                : Optional.empty();
    }
}
