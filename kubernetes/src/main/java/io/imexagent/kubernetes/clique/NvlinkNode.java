package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of an {@code NVLinkNode}, which only the agent of its node writes. {@code session} is random for each
 * process; {@code channels} counts channel 0; {@code guarded} is whether the labels and the finalizer are present.
 * {@code cliques} are those in which the holds are valid, including earlier ones whose channels containers still use.
 *
 * <p>Each write has its own {@code write} number: the API server accepts a write that changes nothing without a new
 * version, so an earlier write that is still under way would succeed afterwards.
 */
public record NvlinkNode(
        String session,
        long write,
        SortedSet<CliqueId> cliques,
        Optional<BootId> boot,
        OptionalInt channels,
        SortedMap<ComputeDomainUid, Hold> holds,
        NodeStatus status,
        boolean guarded) {

    public NvlinkNode {
        cliques = Collections.unmodifiableSortedSet(new TreeSet<>(cliques));
        holds = Collections.unmodifiableSortedMap(new TreeMap<>(holds));
    }

    /** Returns a copy without the status fields that a server with this definition drops. */
    public NvlinkNode fitting(NodeDefinition definition) {
        return new NvlinkNode(session, write, cliques, boot, channels, holds, definition.fitting(status), guarded);
    }

    /** Whether the node holds the ComputeDomain's entry of a table, or is about to. */
    public boolean binds(ComputeDomainUid domain) {
        return Optional.ofNullable(holds.get(domain)).filter(Hold::binds).isPresent();
    }

    /** Whether the node holds an entry of a table, or is about to. */
    public boolean binds() {
        return holds.values().stream().anyMatch(Hold::binds);
    }

    /** The ComputeDomains that use channel 0 of this clique on the node; empty if the node reports another clique. */
    public List<DomainName> sharing(CliqueId clique) {
        return sharing(clique, status, holds.values());
    }

    /** The ComputeDomains that use channel 0 of this clique on a node with this status and these holds. */
    public static List<DomainName> sharing(CliqueId clique, NodeStatus status, Collection<Hold> holds) {
        return status.clique().filter(at -> !at.equals(clique)).isPresent()
                ? List.of()
                : holds.stream().filter(hold -> !hold.binds()).map(Hold::domain).toList();
    }

    public static SortedMap<ComputeDomainUid, Hold> byDomain(Collection<Hold> holds) {
        var sorted = new TreeMap<ComputeDomainUid, Hold>();
        holds.forEach(hold -> sorted.put(hold.domain().uid(), hold));
        return sorted;
    }
}
