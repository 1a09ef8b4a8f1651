package io.imexagent.kubernetes;

import io.imexagent.core.claim.ClaimName;
import java.util.Map;
import java.util.Optional;

/** ResourceClaims, read one at a time; a node's identity may not list them. Blocking: call on a virtual thread. */
public interface Claims {

    /**
     * The longest status that a node keeps, in bytes: it goes into the checkpoint, which is read as a whole. Users can
     * fill one with 320 KB of other drivers' parameters; real ones have 5 KB.
     */
    int LARGEST_STATUS = 64 << 10;

    Optional<ClaimObject> get(ClaimName name) throws ApiException;

    /** A claim as the server wrote it; of the annotations, unchecked, those that mean something to the driver. */
    record ClaimObject(
            ClaimName name, String uid, boolean deleting, Map<String, String> annotations, ClaimStatusText status) {

        public ClaimObject {
            annotations = Map.copyOf(annotations);
        }
    }

    /** The status of a claim, as the server wrote it. */
    sealed interface ClaimStatusText {

        /** All of it, the server's own JSON text; {@code {}} where the claim has no status. */
        record WholeStatus(String json) implements ClaimStatusText {}

        /** One of more bytes than {@link #LARGEST_STATUS}, which was not kept. */
        record StatusTooLarge(long bytes) implements ClaimStatusText {}
    }
}
