package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an {@code NVLinkNode} says, which only the agent of its node writes.
 *
 * @param session the agent's process: random, another one for each
 * @param write how often this process has written it. No two writes say the same: the API server takes a write that
 *     changes nothing as done without a new version, and one before it that is still on its way would land after all
 * @param clique the clique of all of its holds, for as long as it has any, be the node in another one by now; without
 *     holds the node's clique, empty where it has none
 * @param boot the running boot
 * @param channels how many IMEX channels the node's driver has, channel 0 included
 * @param holds the ComputeDomains whose channels the node uses
 */
public record NvlinkNode(
        String session,
        long write,
        Optional<CliqueId> clique,
        Optional<BootId> boot,
        OptionalInt channels,
        SortedMap<ComputeDomainUid, Hold> holds) {

    /** Copies the holds in. */
    public NvlinkNode {
        holds = Collections.unmodifiableSortedMap(new TreeMap<>(holds));
    }

    /** Holds by their ComputeDomains. */
    public static SortedMap<ComputeDomainUid, Hold> byDomain(Collection<Hold> holds) {
        var sorted = new TreeMap<ComputeDomainUid, Hold>();
        holds.forEach(hold -> sorted.put(hold.domain().uid(), hold));
        return sorted;
    }
}
