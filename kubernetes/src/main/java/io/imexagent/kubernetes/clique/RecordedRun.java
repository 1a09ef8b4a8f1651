package io.imexagent.kubernetes.clique;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One run of the fabric test in a clique: a random {@code id}, the user as the runner stated it, the level, its begin
 * and end by the runner's clock, and the results of each node.
 */
public record RecordedRun(
        String id, String by, FabricLevel level, Instant started, Instant ended, List<RecordedNode> nodes) {

    /** The most nodes of a run: an NVLink domain of 72 GPUs with one GPU for each node. */
    public static final int MOST_NODES = 72;

    /**
     * A node of a run: its identity, and its {@code cells}, separated by blanks, one for each node of the run in their
     * order. As lists they would cost a controller twenty times the memory.
     */
    public record RecordedNode(String name, FabricIdentity identity, String cells) {

        /** Creates a node with these results. */
        public static RecordedNode of(String name, FabricIdentity identity, List<RecordedCell> cells) {
            return new RecordedNode(
                    name, identity, cells.stream().map(RecordedCell::text).collect(Collectors.joining(" ")));
        }

        /** The first {@code width} cells; missing and invalid ones count as not tried. */
        public List<RecordedCell> row(int width) {
            String[] texts = cells.split(" ", width + 1);
            return IntStream.range(0, width)
                    .mapToObj(at -> (at < texts.length ? RecordedCell.parse(texts[at]) : RecordedCell.parse("."))
                            .orElse(new RecordedCell.UntriedImport()))
                    .toList();
        }
    }

    /** Rejects too many nodes, and a node that occurs twice. */
    public RecordedRun {
        nodes = List.copyOf(nodes);
        if (nodes.size() > MOST_NODES) {
            throw new IllegalArgumentException(
                    "a run has " + MOST_NODES + " nodes at most, and this one " + nodes.size());
        }
        Set<String> names = new HashSet<>();
        for (RecordedNode node : nodes) {
            if (!names.add(node.name())) {
                throw new IllegalArgumentException("a run has each node once, and this one has twice " + node.name());
            }
        }
    }

    /** The number of proven pairs, and of all pairs: {@code 305/306}. */
    public String proven() {
        List<RecordedCell> cells = new ArrayList<>();
        nodes.forEach(node -> cells.addAll(node.row(nodes.size())));
        long proven = cells.stream()
                .filter(RecordedCell.ProvenImport.class::isInstance)
                .count();
        return proven + "/" + nodes.size() * (nodes.size() - 1);
    }
}
