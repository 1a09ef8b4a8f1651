package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.PlacementMode;
import java.util.Map;

/**
 * Which pods of a namespace are kept in one clique: for each ResourceClaimTemplate, by its name, the ComputeDomain that it
 * belongs to and the mode, never {@code OFF}. The policy that changes pods reads it by the name {@value #NAME}.
 */
public record CliquePlacement(Map<String, PlacedTemplate> templates) {

    /** The name of the only one of a namespace. */
    public static final String NAME = "imex-agent";

    /** How many templates the definition admits. */
    public static final int MOST_TEMPLATES = 2000;

    public CliquePlacement {
        templates = Map.copyOf(templates);
    }

    public record PlacedTemplate(ComputeDomainUid domain, PlacementMode mode) {}
}
