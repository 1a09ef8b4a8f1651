package io.imexagent.dra.claim;

import io.imexagent.checkpoint.ClaimStatusJson;
import io.imexagent.checkpoint.MalformedJsonException;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads a claim from the API server. Blocking.
 *
 * @param claims asks for claims
 */
public record ClaimReader(Claims claims) {

    /**
     * The longest status of a claim, in bytes. The status of each prepared claim is kept in the checkpoint, which the node
     * reads as a whole; the API lets users fill one with 320 KB of other drivers' parameters, and real ones have 5.
     */
    public static final int LARGEST = 64 << 10;

    /**
     * The status of the claim that the kubelet means.
     *
     * @throws ApiException where the API server did not tell
     */
    public Outcome<ClaimStatus> read(ClaimRef ref) throws ApiException {
        Optional<Claims.ClaimObject> found = claims.get(ref.name());
        if (found.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CLAIM_NOT_FOUND,
                    "ResourceClaim " + ref.name() + " does not exist; its pod is probably gone too");
        }
        if (!found.get().uid().equals(ref.uid().value())) {
            return Outcome.refused(
                    RefusalCode.CLAIM_REPLACED,
                    "claim " + ref.name() + " got replaced: the kubelet asks for UID " + ref.uid()
                            + ", the cluster has " + found.get().uid() + "; the pod must be made anew");
        }
        String status = found.get().statusJson();
        int size = status.length() > LARGEST ? status.length() : status.getBytes(StandardCharsets.UTF_8).length;
        if (size > LARGEST) {
            return Outcome.refused(
                    RefusalCode.CLAIM_TOO_LARGE,
                    "the status of claim " + ref.name() + " has " + size + " bytes, and a node keeps " + LARGEST
                            + "; make the opaque parameters in the claim's spec.devices.config shorter, or spread its"
                            + " requests over several claims");
        }
        try {
            return Outcome.accepted(ClaimStatusJson.read(status));
        } catch (MalformedJsonException e) {
            return Outcome.refused(
                    RefusalCode.CLAIM_UNREADABLE,
                    "claim " + ref.name() + " could not be understood: " + e.reason()
                            + "; the cluster's API may be newer than the agent");
        }
    }
}
