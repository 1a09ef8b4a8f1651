package io.imexagent.fabric.result;

import io.imexagent.fabric.result.RankRow.PeerCells;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a run learned of one node: the row of the rank that ran there, or why there is none. */
public sealed interface NodeEvidence {

    /** The node of the run. */
    TestedNode node();

    /** A rank took part on the node. */
    record NodeRow(TestedNode node, RankRow row) implements NodeEvidence {}

    /** No rank took part on the node, for a reason that is a clause. */
    record NodeAbsent(TestedNode node, String reason) implements NodeEvidence {}

    /**
     * The text that a pod of the run left: the node on which the API server says it ran, the index that the Job gave it, and
     * its row, or why there is none.
     */
    record PodRow(String node, int index, Optional<RankRow> row, String reason) {}

    /** What a run requested of each of its ranks: its ID, the level of the imports, and how many GPUs a rank has. */
    record RequestedRun(String id, String level, int gpus) {}

    /**
     * The evidence for each node of a run, from what its pods left. A pod is believed about the row of its own index, of
     * what the run requested, and where it is the only one of that index that has a row; {@code unplaced} is why a node has
     * none.
     */
    static List<NodeEvidence> of(RequestedRun run, List<TestedNode> nodes, List<PodRow> pods, String unplaced) {
        Map<Integer, Integer> rows = new HashMap<>();
        pods.stream().filter(pod -> pod.row().isPresent()).forEach(pod -> rows.merge(pod.index(), 1, Integer::sum));
        Map<String, PodRow> byNode = new HashMap<>();
        for (PodRow pod : pods) {
            byNode.merge(pod.node(), pod, (one, other) -> one.row().isPresent() ? one : other);
        }
        List<NodeEvidence> all = new ArrayList<>();
        for (TestedNode node : nodes) {
            Optional<PodRow> pod = Optional.ofNullable(byNode.get(node.name()));
            all.add(pod.map(left -> of(run, nodes.size(), node, left, rows.getOrDefault(left.index(), 0)))
                    .orElseGet(() -> new NodeAbsent(node, unplaced)));
        }
        return all;
    }

    private static NodeEvidence of(RequestedRun run, int ranks, TestedNode node, PodRow pod, int rows) {
        if (pod.row().isEmpty()) {
            return new NodeAbsent(node, pod.reason());
        }
        RankRow row = pod.row().get();
        return refusal(run, ranks, node, pod.index(), row)
                .or(() -> rows > 1 ? Optional.of(rows + " pods were rank " + pod.index()) : Optional.empty())
                .<NodeEvidence>map(reason -> new NodeAbsent(node, reason))
                .orElseGet(() -> new NodeRow(node, row));
    }

    /** Why a row is no evidence: it is not of what the run requested, or contradicts what the node's agent reports. */
    private static Optional<String> refusal(RequestedRun run, int ranks, TestedNode node, int index, RankRow row) {
        if (!row.run().equals(run.id())) {
            return Optional.of("its pod left the row of another run");
        }
        if (row.rank() != index) {
            return Optional.of("its pod is rank " + index + " and left a row of rank " + row.rank());
        }
        if (row.fault().isPresent()) {
            return row.fault();
        }
        if (!row.level().equals(run.level())) {
            return Optional.of("its rank tested level " + row.level() + ", and " + run.level() + " was requested");
        }
        if (row.gpus().size() != run.gpus()) {
            return Optional.of("its rank has " + row.gpus().size() + " GPUs, and " + run.gpus() + " were requested");
        }
        if (row.peers().size() != ranks || index >= ranks) {
            return Optional.of("its row is of rank " + index + " of "
                    + row.peers().size() + ", and the run has " + ranks + " ranks");
        }
        if (differ(row.boot(), node.boot())) {
            return Optional.of("its rank ran in another boot than its agent reports");
        }
        return differ(row.driver(), node.identity().driver())
                ? Optional.of("its rank ran on driver " + row.driver().orElse("") + ", and its agent reports "
                        + node.identity().driver().orElse(""))
                : Optional.empty();
    }

    private static boolean differ(Optional<String> reported, Optional<String> published) {
        return reported.isPresent() && published.isPresent() && !reported.equals(published);
    }

    /**
     * The evidence after the run, where a node may have become another during it (its NVLinkNode, boot, nvidia-imex, driver or
     * clique): what its rank reports then holds for neither.
     */
    static List<NodeEvidence> unchanged(List<NodeEvidence> evidence, List<TestedNode> after) {
        Set<TestedNode> same = new HashSet<>(after);
        return evidence.stream()
                .map(one -> same.contains(one.node())
                        ? one
                        : new NodeAbsent(
                                one.node(),
                                "its NVLinkNode, boot, nvidia-imex, driver or clique became another during the run"))
                .toList();
    }

    /** What this node's imports from another came to, as far as both took part. */
    static PairState pair(NodeEvidence importer, NodeEvidence exporter) {
        if (importer instanceof NodeAbsent(TestedNode _, String reason)) {
            return new PairState.UntriedPair("the importer took no part: " + reason);
        }
        if (exporter instanceof NodeAbsent(TestedNode _, String reason)) {
            return new PairState.UntriedPair("the exporter took no part: " + reason);
        }
        if (importer instanceof NodeRow(TestedNode _, RankRow row)
                && exporter instanceof NodeRow(TestedNode _, RankRow other)) {
            return pair(row, other);
        }
        throw new IllegalStateException("evidence is a row or none");
    }

    private static PairState pair(RankRow importer, RankRow exporter) {
        PeerCells cells = importer.peers().get(exporter.rank());
        PairState imported = cells.worst();
        Optional<PairState> export =
                exporter.gpus().stream().flatMap(gpu -> gpu.failure().stream()).reduce(PairState::worse);
        if (cells.life().isEmpty()) {
            // No handle came: why, the exporter knows.
            return imported.isBad() || imported instanceof PairState.UntriedPair
                    ? export.filter(PairState::isBad).orElse(new PairState.UntriedPair(imported.reason()))
                    : new PairState.UntriedPair("the importer names no process that gave it handles");
        }
        if (!cells.life().equals(exporter.life())) {
            return new PairState.UntriedPair("the handles were those of another process than the exporter's rank");
        }
        return export.map(imported::worse).orElse(imported);
    }
}
