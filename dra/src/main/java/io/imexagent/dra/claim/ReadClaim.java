package io.imexagent.dra.claim;

import io.imexagent.checkpoint.ClaimStatusJson;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import java.util.Map;
import java.util.Optional;

/** A claim as the API server returns it; its annotations are unchecked. */
public record ReadClaim(ClaimStatus status, Map<String, String> annotations) {

    public ReadClaim {
        annotations = Map.copyOf(annotations);
    }

    /** Reads the claim that the kubelet means. Blocking. */
    public static Outcome<ReadClaim> of(Claims claims, ClaimRef ref) throws ApiException {
        Optional<Claims.ClaimObject> found = claims.get(ref.name());
        if (found.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CLAIM_NOT_FOUND,
                    "ResourceClaim " + ref.name() + " does not exist; its pod is probably gone too");
        }
        Claims.ClaimObject claim = found.get();
        if (!claim.uid().equals(ref.uid().value())) {
            return Outcome.refused(
                    RefusalCode.CLAIM_REPLACED,
                    "claim " + ref.name() + " got replaced: the kubelet asks for UID " + ref.uid()
                            + ", the cluster has " + claim.uid() + "; the pod must be created again");
        }
        try {
            return switch (claim.status()) {
                case ClaimStatusText.WholeStatus(String json) ->
                    Outcome.accepted(new ReadClaim(ClaimStatusJson.read(json), claim.annotations()));
                case ClaimStatusText.StatusTooLarge(long bytes) ->
                    Outcome.refused(
                            RefusalCode.CLAIM_TOO_LARGE,
                            "the status of claim " + ref.name() + " has " + bytes + " bytes, and a node keeps at most "
                                    + Claims.LARGEST_STATUS + "; make the opaque parameters in the claim's"
                                    + " spec.devices.config shorter, or spread its requests over several claims");
            };
        } catch (MalformedJsonException e) {
            return Outcome.refused(
                    RefusalCode.CLAIM_UNREADABLE,
                    "claim " + ref.name() + " could not be understood: " + e.reason()
                            + (e.tooDeep()
                                    ? "; write the opaque parameters in spec.devices.config of the claim or its"
                                            + " template without that nesting"
                                    : "; where the cluster's API is newer than the agent, upgrade imex-agent"));
        }
    }
}
