package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;
import java.util.List;
import java.util.function.Predicate;

/**
 * The use of a ComputeDomain by nodes, from their objects; unknown before those have been listed. A node holds it while
 * it has prepared claims of it. {@code shared} are the cliques in which another ComputeDomain also uses channel 0.
 * {@code differs} is whether nodes in the cliques of its pods work in another mode than the controller, or, if no node
 * holds it, no node works in the controller's mode.
 */
record DomainUse(boolean known, boolean held, List<CliqueId> shared, boolean differs) {

    static final DomainUse UNKNOWN = new DomainUse(false, false, List.of(), false);

    DomainUse {
        shared = List.copyOf(shared);
    }

    /** Returns this use with only those of the shared cliques that count. */
    DomainUse sharing(Predicate<CliqueId> counts) {
        return new DomainUse(known, held, shared.stream().filter(counts).toList(), differs);
    }
}
