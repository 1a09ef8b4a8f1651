package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.ledger.PreparedGroup;
import java.util.List;

/**
 * What a driver gives to a claim.
 *
 * @param groups the devices, as they are recorded and told to the kubelet
 * @param edits what that does to containers
 */
public record Grant(List<PreparedGroup> groups, ClaimEdits edits) {

    /** Copies the list in. */
    public Grant {
        groups = List.copyOf(groups);
    }
}
