package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.ledger.PreparedGroup;
import java.util.List;

/**
 * A driver's grant for a claim: the devices that are recorded and returned to the kubelet, and their edits of
 * containers.
 */
public record Grant(List<PreparedGroup> groups, ClaimEdits edits) {

    public Grant {
        groups = List.copyOf(groups);
    }

    /** Whether the grant changes containers, and therefore has a CDI spec. */
    public boolean reachesContainers() {
        return !edits.devices().isEmpty();
    }
}
