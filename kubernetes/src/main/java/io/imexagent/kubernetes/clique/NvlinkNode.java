package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an {@code NVLinkNode} says, which only the agent of its node writes.
 *
 * @param session the agent's process: random, another one for each
 * @param write how often this process has written it. No two writes say the same: the API server takes a write that
 *     changes nothing as done without a new version, and one before it that is still on its way would land after all
 * @param cliques the cliques in which its holds count: the node's own, and, for as long as containers use channels that
 *     they got in others, those too. The object has a label for each
 * @param channels how many IMEX channels the node's driver has, channel 0 included
 * @param guarded whether the object has the labels and the finalizer that go with it; always so in what an agent writes
 */
public record NvlinkNode(
        String session,
        long write,
        SortedSet<CliqueId> cliques,
        Optional<BootId> boot,
        OptionalInt channels,
        SortedMap<ComputeDomainUid, Hold> holds,
        NodeSight sight,
        boolean guarded) {

    public NvlinkNode {
        cliques = Collections.unmodifiableSortedSet(new TreeSet<>(cliques));
        holds = Collections.unmodifiableSortedMap(new TreeMap<>(holds));
    }

    /** Holds by their ComputeDomains. */
    public static SortedMap<ComputeDomainUid, Hold> byDomain(Collection<Hold> holds) {
        var sorted = new TreeMap<ComputeDomainUid, Hold>();
        holds.forEach(hold -> sorted.put(hold.domain().uid(), hold));
        return sorted;
    }
}
