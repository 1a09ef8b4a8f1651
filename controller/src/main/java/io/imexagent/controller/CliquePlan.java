package io.imexagent.controller;

import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Collection;
import java.util.Optional;

/** What is to be done about the table of a clique. */
public sealed interface CliquePlan {

    record Nothing() implements CliquePlan {}

    /** There must be one. */
    record Create(NvlinkClique content) implements CliquePlan {}

    /** It must say something else. */
    record Replace(Stored<NvlinkClique> table, NvlinkClique content) implements CliquePlan {}

    /** No node needs it. */
    record Delete(Stored<NvlinkClique> table) implements CliquePlan {}

    /**
     * The next step, with all nodes that hold, or may hold, in the clique; without isolation no table is made, and the
     * last goes. Safe only where the nodes were listed after the table was read, see {@link ChannelTable#settled}; of
     * what was heard of both it tells whether there may be something to do.
     */
    static CliquePlan of(
            Optional<Stored<NvlinkClique>> table, Collection<Stored<NvlinkNode>> nodes, boolean isolating) {
        if (table.isEmpty()) {
            return isolating && !nodes.isEmpty()
                    ? new Create(new NvlinkClique(limit(nodes, 0), ChannelTable.EMPTY.settled(nodes)))
                    : new Nothing();
        }
        NvlinkClique now = table.get().content();
        var settled = new NvlinkClique(limit(nodes, now.limit()), now.table().settled(nodes));
        boolean unheld = nodes.stream().allMatch(node -> node.content().holds().isEmpty());
        boolean unwanted = nodes.isEmpty() || table.get().deleting() || !isolating;
        if (settled.table().entries().isEmpty() && unheld && unwanted) {
            return new Delete(table.get());
        }
        return settled.equals(now) ? new Nothing() : new Replace(table.get(), settled);
    }

    /** The least number of channels of the nodes that say theirs; while none does, what was known before. */
    private static int limit(Collection<Stored<NvlinkNode>> nodes, int before) {
        return nodes.stream()
                .flatMapToInt(node -> node.content().channels().stream())
                // A node that has channel 0 alone can bind nothing, and takes nothing from the others.
                .filter(channels -> channels > 1)
                .min()
                .orElse(before);
    }
}
