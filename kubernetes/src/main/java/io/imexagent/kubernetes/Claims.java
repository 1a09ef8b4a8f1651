package io.imexagent.kubernetes;

import io.imexagent.core.claim.ClaimName;
import java.util.Optional;

/** ResourceClaims, read one at a time; a node's identity may not list them. Blocking: call on a virtual thread. */
public interface Claims {

    /**
     * Reads the claim of this name.
     *
     * @return the claim; empty where there is none
     * @throws ApiException where the server did not tell
     */
    Optional<ClaimObject> get(ClaimName name) throws ApiException;

    /**
     * A ResourceClaim.
     *
     * @param name namespace and name
     * @param uid its UID, as the server wrote it
     * @param deleting whether its deletion has begun
     * @param statusJson its {@code status}, the server's own JSON text; {@code {}} where it has none
     */
    record ClaimObject(ClaimName name, String uid, boolean deleting, String statusJson) {}
}
