package io.imexagent.dra.claim;

import io.imexagent.checkpoint.ClaimStatusJson;
import io.imexagent.checkpoint.MalformedJsonException;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a claim from the API server. Blocking.
 *
 * @param claims asks for claims
 */
public record ClaimReader(Claims claims) {

    /**
     * The claim that the kubelet means.
     *
     * @throws ApiException where the API server did not tell
     */
    public Outcome<ReadClaim> read(ClaimRef ref) throws ApiException {
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
                            + ", the cluster has " + found.get().uid() + "; the pod must be created again");
        }
        return switch (found.get().status()) {
            case ClaimStatusText.Whole(String json) ->
                understood(ref, json, found.get().annotations());
            case ClaimStatusText.TooLarge(long bytes) ->
                Outcome.refused(
                        RefusalCode.CLAIM_TOO_LARGE,
                        "the status of claim " + ref.name() + " has " + bytes + " bytes, and a node keeps "
                                + Claims.LARGEST_STATUS + "; make the opaque parameters in the claim's"
                                + " spec.devices.config shorter, or spread its requests over several claims");
        };
    }

    private static Outcome<ReadClaim> understood(ClaimRef ref, String status, Map<String, String> annotations) {
        try {
            return Outcome.accepted(new ReadClaim(ClaimStatusJson.read(status), annotations));
        } catch (MalformedJsonException e) {
            return Outcome.refused(
                    RefusalCode.CLAIM_UNREADABLE,
                    "claim " + ref.name() + " could not be understood: " + e.reason()
                            + "; the cluster's API may be newer than the agent");
        }
    }
}
