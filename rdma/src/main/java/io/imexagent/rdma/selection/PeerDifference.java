package io.imexagent.rdma.selection;

import java.util.Collection;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How the rails of this node differ from those of a peer. Ranks with different sets block each other in the first
 * collective operation.
 *
 * @param onlyHere names of rails that the peer does not have
 * @param onlyThere names of the peer that no rail of this node has
 */
public record PeerDifference(SortedSet<String> onlyHere, SortedSet<String> onlyThere) {

    /**
     * The difference.
     *
     * @param rails the rails of this node, whatever the peer has
     * @param peer the peer's, by interface or RDMA device
     */
    public static PeerDifference of(Collection<Rail> rails, Set<String> peer) {
        var here = new TreeSet<String>();
        var there = new TreeSet<>(peer);
        for (Rail rail : rails) {
            if (!rail.nic().isNamed(peer)) {
                here.add(rail.label());
            }
            there.remove(rail.nic().name().text());
            rail.nic().interfaceName().ifPresent(name -> there.remove(name.text()));
        }
        return new PeerDifference(here, there);
    }

    /** Whether both have the same. */
    public boolean isNone() {
        return onlyHere.isEmpty() && onlyThere.isEmpty();
    }
}
