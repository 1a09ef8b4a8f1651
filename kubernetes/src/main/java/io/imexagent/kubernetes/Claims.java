package io.imexagent.kubernetes;

import io.imexagent.core.claim.ClaimName;
import java.util.Map;
import java.util.Optional;

/**
 * Reads ResourceClaims one at a time, since a node's identity may not list them. Calls block: make them on a virtual
 * thread.
 */
public interface Claims {

    /**
     * The longest status that a node keeps, in bytes: the status is written into the checkpoint, which is read as a
     * whole. Users can fill a status with 320 KB of other drivers' parameters; a usual one has 5 KB.
     */
    int LARGEST_STATUS = 64 << 10;

    Optional<ClaimObject> get(ClaimName name) throws ApiException;

    /** A claim as the server wrote it, with only those annotations that the driver reads; they are not checked. */
    record ClaimObject(
            ClaimName name, String uid, boolean deleting, Map<String, String> annotations, ClaimStatusText status) {

        public ClaimObject {
            annotations = Map.copyOf(annotations);
        }
    }

    /** The status of a claim, as the server wrote it. */
    sealed interface ClaimStatusText {

        /** The whole status, as the server's own JSON text; {@code {}} if the claim has no status. */
        record WholeStatus(String json) implements ClaimStatusText {}

        /** A status that was dropped because it is longer than {@link #LARGEST_STATUS}. */
        record StatusTooLarge(long bytes) implements ClaimStatusText {}
    }
}
