package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;
import java.util.List;
import java.util.function.Predicate;

/**
 * How nodes use a ComputeDomain, as their objects say; nothing is said before those have been listed. A node holds it
 * while it has prepared claims of it. {@code shared} are the cliques in which another ComputeDomain uses channel 0, too;
 * {@code differs} says whether nodes where its pods run, or of all nodes none where they could, work in another mode than
 * the controller.
 */
record DomainUse(boolean known, boolean held, List<CliqueId> shared, boolean differs) {

    static final DomainUse UNKNOWN = new DomainUse(false, false, List.of(), false);

    DomainUse {
        shared = List.copyOf(shared);
    }

    /** The same, in which of the shared cliques those alone count. */
    DomainUse sharing(Predicate<CliqueId> counts) {
        return new DomainUse(known, held, shared.stream().filter(counts).toList(), differs);
    }
}
