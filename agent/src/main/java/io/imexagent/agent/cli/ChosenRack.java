package io.imexagent.agent.cli;

import io.imexagent.controller.racks.RackReport;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The rack that an argument names, or all of them. A rack that was there once may be gone while it is watched. */
final class ChosenRack {

    private final Optional<String> name;
    private final Function<String, ? extends RuntimeException> wrong;
    private final Consumer<String> warn;
    private boolean found;
    private boolean warned;

    /** Creates the choice; {@code wrong} makes the exception for a name that no rack had yet. */
    ChosenRack(Optional<String> name, Function<String, ? extends RuntimeException> wrong, Consumer<String> warn) {
        this.name = name;
        this.wrong = wrong;
        this.warn = warn;
    }

    /** Returns the report of the rack; empty, after one warning, while the rack is gone. */
    Optional<RackReport> in(RackReport all) {
        RackReport racks = name.map(all::named).orElse(all);
        boolean missing = racks.racks().isEmpty() && !all.racks().isEmpty();
        if (missing && !found) {
            throw wrong.apply("RACK is no name, no clique and no node of this cluster; imex-agent racks lists them");
        }
        if (missing && !warned) {
            warn.accept("no rack is " + name.orElse("") + " at present; waits for it");
        }
        found = true;
        warned = missing;
        return missing ? Optional.empty() : Optional.of(racks);
    }
}
