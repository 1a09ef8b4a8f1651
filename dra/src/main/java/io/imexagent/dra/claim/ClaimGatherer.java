package io.imexagent.dra.claim;

import io.imexagent.checkpoint.ClaimStatusJson;
import io.imexagent.checkpoint.MalformedJsonException;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.dra.claim.ClaimFacts.ClaimLookup;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;

/** Asks Kubernetes about one claim. Blocking: called on a virtual thread, one for each claim. */
@FunctionalInterface
public interface ClaimGatherer {

    /**
     * What Kubernetes says about the claim; never an exception that Kubernetes could cause. An object that is not there
     * is no failure of the API; {@link io.imexagent.kubernetes.ApiFailure.Kind#NOT_FOUND} as one means that the cluster
     * does not serve the resource, which an operator can mend while the claim waits.
     */
    Gathered gather(ClaimRef ref);

    /** The object of the claim, and what its status says. */
    static ClaimLookup claim(Claims claims, ClaimRef ref) throws ApiException {
        return claims.get(ref.name()).map(found -> read(ref, found)).orElseGet(ClaimLookup.Missing::new);
    }

    private static ClaimLookup read(ClaimRef ref, Claims.ClaimObject object) {
        if (!object.uid().equals(ref.uid().value())) {
            return new ClaimLookup.Replaced(object.uid());
        }
        try {
            return new ClaimLookup.Found(ClaimStatusJson.read(object.statusJson()));
        } catch (MalformedJsonException e) {
            return new ClaimLookup.Unreadable(e.reason());
        }
    }
}
