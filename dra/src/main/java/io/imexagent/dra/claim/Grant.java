package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.ledger.PreparedGroup;
import java.util.List;

/** What a driver grants a claim: devices as recorded and returned to the kubelet, and their edits of containers. */
public record Grant(List<PreparedGroup> groups, ClaimEdits edits) {

    public Grant {
        groups = List.copyOf(groups);
    }

    /** Whether it gives containers anything, and so has a CDI spec. */
    public boolean reachesContainers() {
        return !edits.devices().isEmpty();
    }
}
