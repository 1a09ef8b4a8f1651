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

/** What is to be done about the table of a clique. */
public sealed interface CliquePlan {

    record KeepTable() implements CliquePlan {}

    /** There must be one. */
    record CreateTable(NvlinkClique content) implements CliquePlan {}

    /** It must say something else. */
    record ReplaceTable(Stored<NvlinkClique> table, NvlinkClique content) implements CliquePlan {}

    /** No node needs it. */
    record DeleteTable(Stored<NvlinkClique> table) implements CliquePlan {}

    /**
     * The next step, with all nodes that hold, or may hold, in the clique; without isolation no table is made, and the
     * last goes. Safe only where the nodes were listed after the table was read, see {@link ChannelTable#settled}; of
     * what was heard of both it tells whether there may be something to do.
     */
    static CliquePlan of(
            Optional<Stored<NvlinkClique>> table, Collection<Stored<NvlinkNode>> nodes, boolean isolating) {
        if (table.isEmpty()) {
            return isolating && !nodes.isEmpty()
                    ? new CreateTable(limited(new NvlinkClique(0, ChannelTable.EMPTY.settled(nodes)), nodes))
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
                // A server whose definition is an older one drops the name: for that alone nothing is written.
                && (now.limitedBy().isEmpty() || settled.limitedBy().equals(now.limitedBy()));
        return done ? new KeepTable() : new ReplaceTable(table.get(), settled);
    }

    /**
     * The clique with the least number of channels of the nodes that say theirs, and the first node by name that has no
     * more; while none says it, what was known before. A node that has no channel, or channel 0 alone, can bind nothing, and
     * takes nothing from the others.
     */
    private static NvlinkClique limited(NvlinkClique clique, Collection<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .filter(node -> channels(node) > 1)
                .min(Comparator.<Stored<NvlinkNode>>comparingInt(CliquePlan::channels)
                        .thenComparing(Stored::name))
                .map(least -> new NvlinkClique(channels(least), Optional.of(least.name()), clique.table()))
                .orElse(clique);
    }

    /** The nodes that have fewer channels than others of their clique, sorted: what all can bind is theirs. */
    static List<String> limiting(Collection<Stored<NvlinkNode>> nodes) {
        IntSummaryStatistics counts = counts(nodes);
        return nodes.stream()
                .filter(node -> channels(node) == counts.getMin() && counts.getMin() < counts.getMax())
                .map(Stored::name)
                .sorted()
                .toList();
    }

    /** The least number of channels of the nodes that have more than channel 0. */
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
