package io.imexagent.fabric.result;

import io.imexagent.fabric.result.RankRow.PeerCells;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The evidence of a run about one node: the row of the rank that ran there, or why there is no row. */
public sealed interface NodeEvidence {

    /** Returns the node. */
    TestedNode node();

    /** A rank took part on the node. */
    record NodeRow(TestedNode node, RankRow row) implements NodeEvidence {}

    /** No rank took part on the node; the reason is a clause. */
    record NodeAbsent(TestedNode node, String reason) implements NodeEvidence {}

    /**
     * The result of a pod of the run: the node on which it ran by the API server, the index that the Job assigned to
     * it, and its row, or why it has none.
     */
    record PodRow(String node, int index, Optional<RankRow> row, String reason) {}

    /**
     * The values that a run requests of each rank: the run's ID, the level of the imports, and the number of GPUs of a
     * rank.
     */
    record RequestedRun(String id, String level, int gpus) {}

    /**
     * Returns the evidence for each node of a run, from the results of its pods. A pod's row counts only if it has the
     * pod's index, matches the request of the run, and no other pod of that index has a row. {@code unplaced} is the
     * reason for nodes without a pod.
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

    /**
     * Returns why a row does not count: it does not match the request of the run, or contradicts the report of the
     * node's agent.
     */
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
     * Returns the evidence without the rows of nodes whose identity changed during the run (NVLinkNode, boot,
     * nvidia-imex, driver or clique), since such a row is valid for neither identity.
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

    /** Returns the state of the imports from one node to another; not tried unless both took part. */
    static PairState pair(NodeEvidence importer, NodeEvidence exporter) {
        return switch (importer) {
            case NodeAbsent(TestedNode _, String reason) ->
                new PairState.UntriedPair("the importer took no part: " + reason);
            case NodeRow(TestedNode _, RankRow row) ->
                switch (exporter) {
                    case NodeAbsent(TestedNode _, String reason) ->
                        new PairState.UntriedPair("the exporter took no part: " + reason);
                    case NodeRow(TestedNode _, RankRow other) -> pair(row, other);
                };
        };
    }

    private static PairState pair(RankRow importer, RankRow exporter) {
        PeerCells cells = importer.peers().get(exporter.rank());
        PairState imported = cells.worst();
        Optional<PairState> export =
                exporter.gpus().stream().flatMap(gpu -> gpu.failure().stream()).reduce(PairState::worse);
        if (cells.life().isEmpty()) {
            // The importer received no handle, so the exporter's row may have the reason.
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
