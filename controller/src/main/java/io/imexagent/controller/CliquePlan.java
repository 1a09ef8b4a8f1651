package io.imexagent.controller;

import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.Collection;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Optional;

/** The next change of a clique's table. */
public sealed interface CliquePlan {

    record KeepTable() implements CliquePlan {}

    /** The clique needs a table and has none. */
    record CreateTable(NvlinkClique content) implements CliquePlan {}

    /** The table needs another content. */
    record ReplaceTable(Stored<NvlinkClique> table, NvlinkClique content) implements CliquePlan {}

    /** No node needs the table. */
    record DeleteTable(Stored<NvlinkClique> table) implements CliquePlan {}

    /**
     * Plans the next change from all nodes that hold, or may hold, in the clique. Without isolation no table is
     * created, and an unused one is deleted. The plan is safe only if the nodes were listed after the table was read,
     * see {@link ChannelTable#settled}; a plan from the watches' caches only shows whether a change may be due.
     */
    static CliquePlan of(
            Optional<Stored<NvlinkClique>> table, Collection<Stored<NvlinkNode>> nodes, boolean isolating) {
        if (table.isEmpty()) {
            return isolating && !nodes.isEmpty()
                    ? new CreateTable(
                            limited(new NvlinkClique(0, Optional.empty(), ChannelTable.EMPTY.settled(nodes)), nodes))
                    : new KeepTable();
        }
        NvlinkClique now = table.get().content();
        NvlinkClique settled = limited(now.with(now.table().settled(nodes)), nodes);
        boolean unheld = nodes.stream().noneMatch(node -> node.content().binds());
        boolean unwanted = nodes.isEmpty() || table.get().deleting() || !isolating;
        if (settled.table().entries().isEmpty() && unheld && unwanted) {
            return new DeleteTable(table.get());
        }
        boolean done = settled.limit() == now.limit()
                && settled.table().equals(now.table())
                // A server with an older definition drops the name, so a missing name alone is no reason to write.
                && (now.limitedBy().isEmpty() || settled.limitedBy().equals(now.limitedBy()));
        return done ? new KeepTable() : new ReplaceTable(table.get(), settled);
    }

    /**
     * The clique with the least number of channels that a node reports, and the first node by name with this number;
     * unchanged while no node reports one. A node that has no channel, or only channel 0, cannot bind and does not
     * limit the others.
     */
    private static NvlinkClique limited(NvlinkClique clique, Collection<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .filter(node -> channels(node) > 1)
                .min(Comparator.<Stored<NvlinkNode>>comparingInt(CliquePlan::channels)
                        .thenComparing(Stored::name))
                .map(least -> new NvlinkClique(channels(least), Optional.of(least.name()), clique.table()))
                .orElse(clique);
    }

    /**
     * The nodes with the fewest channels, if others of their clique have more, sorted: their number limits the whole
     * clique.
     */
    static List<String> limiting(Collection<Stored<NvlinkNode>> nodes) {
        IntSummaryStatistics counts = counts(nodes);
        return nodes.stream()
                .filter(node -> channels(node) == counts.getMin() && counts.getMin() < counts.getMax())
                .map(Stored::name)
                .sorted()
                .toList();
    }

    /** The least number of channels among the nodes that have more than channel 0. */
    static int least(Collection<Stored<NvlinkNode>> nodes) {
        return counts(nodes).getMin();
    }

    private static IntSummaryStatistics counts(Collection<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .mapToInt(CliquePlan::channels)
                .filter(channels -> channels > 1)
                .summaryStatistics();
    }

    private static int channels(Stored<NvlinkNode> node) {
        return node.content().channels().orElse(0);
    }
}
