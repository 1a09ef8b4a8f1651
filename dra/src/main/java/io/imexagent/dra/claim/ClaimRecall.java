package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.kubernetes.ApiException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What tells of claims of one driver whose entries are lost. Safe for any thread; writes nothing. */
public interface ClaimRecall {

    /**
     * The devices that a claim was given whose entry is lost: by those that the kubelet was told, and by the claim's status,
     * empty where the API server has none. Blocking.
     */
    Outcome<List<PreparedGroup>> recall(
            ClaimUid uid, List<ReturnedDevice> returned, Optional<ClaimStatus> status, Optional<BootId> boot)
            throws ApiException;

    /**
     * Why CDI devices of these names may be in use though the kubelet does not know their claim, a clause; empty where
     * nothing says so. An unknown boot voids nothing. Blocking.
     */
    default Optional<String> heldElsewhere(Set<String> cdiDevices, Optional<BootId> boot) throws ApiException {
        return Optional.empty();
    }

    /**
     * Why a claim without a CDI spec is not to be believed these devices, a clause; empty where it is. An unknown boot voids
     * nothing. Blocking.
     */
    default Optional<String> unproven(List<PreparedGroup> groups, Optional<BootId> boot) throws ApiException {
        return Optional.empty();
    }

    /** Why the claim cannot have its devices beside the others of the ledger, a clause that names them. Never blocks. */
    default Optional<String> disputed(ClaimEntry.Completed claim, Ledger ledger) {
        return Optional.empty();
    }

    /** Whether these claims are all for which the cluster may hold something on this node. Blocking. */
    default boolean accountsFor(Ledger ledger, Optional<BootId> boot) throws ApiException {
        return true;
    }
}
