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

/** Finds the devices of one driver's claims whose ledger entries are lost. Safe for any thread; writes nothing. */
public interface ClaimRecall {

    /**
     * The devices of a claim whose entry is lost, from the devices that the kubelet recorded and from the claim's
     * status, which is empty if the API server does not have the claim. Blocking.
     */
    Outcome<List<PreparedGroup>> recall(
            ClaimUid uid, List<ReturnedDevice> returned, Optional<ClaimStatus> status, Optional<BootId> boot)
            throws ApiException;

    /**
     * Why CDI devices of these names may be in use although the kubelet has no such claim, as a clause; empty if there
     * is no sign of it. Without a known boot, records of earlier boots count too. Blocking.
     */
    default Optional<String> heldElsewhere(Set<String> cdiDevices, Optional<BootId> boot) throws ApiException {
        return Optional.empty();
    }

    /**
     * Why a claim without a CDI spec probably does not have these devices, as a clause; empty if it has. Without a
     * known boot, records of earlier boots count too. Blocking.
     */
    default Optional<String> unproven(List<PreparedGroup> groups, Optional<BootId> boot) throws ApiException {
        return Optional.empty();
    }

    /**
     * Why the claim's devices conflict with other claims of the ledger, as a clause that names these; empty without a
     * conflict. Never blocks.
     */
    default Optional<String> disputed(ClaimEntry.Completed claim, Ledger ledger) {
        return Optional.empty();
    }

    /** Whether these claims are all for which the cluster may hold something on this node. Blocking. */
    default boolean accountsFor(Ledger ledger, Optional<BootId> boot) throws ApiException {
        return true;
    }
}
