package io.imexagent.imex.health;

import java.util.List;

/** How the whole domain is. */
public sealed interface DomainHealth {

    /** All labels, for metrics that show every state. */
    List<String> LABELS = List.of("not_told", "up", "degraded", "down");

    /** The state in lower-case words joined by underscores, fit for a metric label. */
    default String label() {
        return switch (this) {
            case NotTold not -> "not_told";
            case Up up -> "up";
            case Degraded degraded -> "degraded";
            case Down down -> "down";
        };
    }

    /** Nobody told; the reason is a clause. */
    record NotTold(String reason) implements DomainHealth {}

    /** All nodes are there. */
    record Up() implements DomainHealth {}

    /** Some node is missing; the names are of the nodes that are not ready, in their order. */
    record Degraded(List<String> missing) implements DomainHealth {

        /** Copies the list in. */
        public Degraded {
            missing = List.copyOf(missing);
        }
    }

    /** It does not work; the names are of the nodes that are not ready, in their order. */
    record Down(List<String> missing) implements DomainHealth {

        /** Copies the list in. */
        public Down {
            missing = List.copyOf(missing);
        }
    }
}
