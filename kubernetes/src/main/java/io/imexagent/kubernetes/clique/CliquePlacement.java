package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.PlacementMode;
import java.util.Map;

/**
 * The pods of a namespace that are placed in one clique: by name of ResourceClaimTemplate, its ComputeDomain and the
 * mode, never {@code OFF}. The policy that changes pods reads the object {@value #NAME}.
 */
public record CliquePlacement(Map<String, PlacedTemplate> templates) {

    /** The name of the only CliquePlacement in a namespace. */
    public static final String NAME = "imex-agent";

    /** The most templates that the definition allows. */
    public static final int MOST_TEMPLATES = 2000;

    public CliquePlacement {
        templates = Map.copyOf(templates);
    }

    public record PlacedTemplate(ComputeDomainUid domain, PlacementMode mode) {}
}
