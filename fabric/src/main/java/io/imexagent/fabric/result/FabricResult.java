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
 * The result of a run: the state of every pair of nodes, with importers as rows and exporters as columns, and the state
 * that nvidia-imex reports for the same pairs. {@code unchecked} is the reason why it is unknown whether the nodes
 * changed during the run; empty if that is known.
 */
public record FabricResult(
        FabricRunName run,
        Instant at,
        List<NodeEvidence> nodes,
        List<List<PairState>> matrix,
        StatusMatrix status,
        Optional<String> unchecked) {

    /** The identity of a run: its ID, the namespace, the clique, and the level of its imports. */
    public record FabricRunName(String id, String namespace, String clique, String level) {}

    /** The states that nvidia-imex reports for the connections between nodes. */
    public record StatusMatrix(Map<NodePair, LinkState> links) {

        public StatusMatrix {
            links = Map.copyOf(links);
        }

        /** Returns the state of a connection; unknown if no daemon reports it. */
        public LinkState between(int one, int other) {
            return links.getOrDefault(NodePair.of(one, other), LinkState.UNKNOWN);
        }
    }

    /** Two nodes, by their numbers, the smaller one first. */
    public record NodePair(int one, int other) {

        /** Returns the pair of two nodes, which may be in either order. */
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

    /** Computes the result of this evidence. */
    public static FabricResult of(FabricRunName run, Instant at, List<NodeEvidence> nodes, StatusMatrix status) {
        List<List<PairState>> matrix = nodes.stream()
                .map(importer -> nodes.stream()
                        .map(exporter -> NodeEvidence.pair(importer, exporter))
                        .toList())
                .toList();
        return new FabricResult(run, at, nodes, matrix, status, Optional.empty());
    }

    /** Returns this result, marked that it is unknown for this reason whether the nodes changed during the run. */
    public FabricResult unchecked(String reason) {
        return new FabricResult(run, at, nodes, matrix, status, Optional.of(reason));
    }

    /** Returns all imports between different nodes, row by row. */
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

    /** Returns the state of an import. */
    public PairState state(NodeImport one) {
        return matrix.get(one.importer()).get(one.exporter());
    }

    /** Returns the name of a node. */
    public String name(int node) {
        return nodes.get(node).node().name();
    }

    /** Returns the number of nodes that took part. */
    public int participants() {
        return (int) nodes.stream().filter(NodeRow.class::isInstance).count();
    }

    /** Whether any import was tried. */
    public boolean tried() {
        return imports().anyMatch(one -> !(state(one) instanceof PairState.UntriedPair));
    }

    /** Returns the verdict of the whole run. */
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

    /** Returns the causes of the failed and hung imports. */
    public List<Blame> blame() {
        return Blame.of(matrix);
    }

    /** Returns the imports that failed or hung although nvidia-imex reports the two nodes as connected. */
    public List<NodeImport> contradictions() {
        return imports()
                .filter(one ->
                        state(one).isBad() && status.between(one.importer(), one.exporter()) == LinkState.CONNECTED)
                .toList();
    }

    /** Returns why a node took no part; empty if it did. */
    public Optional<String> absence(int node) {
        return nodes.get(node) instanceof NodeEvidence.NodeAbsent(TestedNode _, String reason)
                ? Optional.of(reason)
                : Optional.empty();
    }
}
