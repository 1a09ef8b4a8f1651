package io.imexagent.rdma.selection;

import io.imexagent.rdma.inventory.PciId;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the operator decided about NICs.
 *
 * @param exclude interfaces with such a name stay on the host; empty switches this off
 * @param include the only NICs to offer, by interface or RDMA device; empty for all that qualify. It beats the exclude
 *     pattern, the storage list and the rule on virtual functions, and no fact: it never makes up a NIC
 * @param includeUplinks whether the include list beats the protection of uplinks too
 * @param peer the NICs that the peer has, by interface or RDMA device; empty where that does not matter
 * @param storage the PCI devices whose NICs are for storage and the front-end network, never rails
 * @param strict whether an Ethernet rail without an IPv4 address is an error for the node, rather than left out; only one
 *     that the include list and the peer set let through, where there are such
 */
public record SelectionPolicy(
        Optional<Pattern> exclude,
        Set<String> include,
        boolean includeUplinks,
        Optional<Set<String>> peer,
        Set<PciId> storage,
        boolean strict) {

    /** The pattern of interfaces that stay on the host where nothing else is said. */
    public static final String EXCLUDE = "^eth[0-9]+$";

    /** BlueField-2, its integrated ConnectX-6 Dx function under the older ID, and BlueField-3 (pci.ids of 15b3). */
    public static final Set<PciId> STORAGE =
            Set.of(new PciId("15b3:a2d2"), new PciId("15b3:a2d6"), new PciId("15b3:a2dc"));

    /** What holds where the operator says nothing. */
    public static final SelectionPolicy STANDARD = new SelectionPolicy(
            Optional.of(Pattern.compile(EXCLUDE)), Set.of(), false, Optional.empty(), STORAGE, false);

    /** Copies the sets in. */
    public SelectionPolicy {
        include = Set.copyOf(include);
        peer = peer.map(Set::copyOf);
        storage = Set.copyOf(storage);
    }

    /**
     * The policy under which this node is compared with its peer: without a peer set, and without strict mode, which would
     * leave no rail to compare for the sake of one.
     */
    public SelectionPolicy forComparison() {
        return new SelectionPolicy(exclude, include, includeUplinks, Optional.empty(), storage, false);
    }

    /** This policy with another peer set. */
    public SelectionPolicy withPeer(Set<String> names) {
        return new SelectionPolicy(exclude, include, includeUplinks, Optional.of(names), storage, strict);
    }
}
