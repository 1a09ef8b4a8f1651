package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimUid;
import java.util.Optional;
import java.util.Set;

/** The claims that the kubelet has prepared and will unprepare, as its own checkpoint tells, see {@link KubeletState}. */
public sealed interface KubeletClaims {

    /**
     * The kubelet's checkpoint has these claims and no others.
     *
     * @param uids their UIDs, as the kubelet wrote them
     */
    record Named(Set<String> uids) implements KubeletClaims {

        /** Copies the set in. */
        public Named {
            uids = Set.copyOf(uids);
        }
    }

    /** There is no checkpoint: no kubelet, one that has not begun, or one without DRA. */
    record Missing() implements KubeletClaims {}

    /**
     * The checkpoint does not tell.
     *
     * @param reason why; it names the file
     */
    record Unreadable(String reason) implements KubeletClaims {}

    /** Whether the kubelet has the claim; empty where nobody can tell. */
    default Optional<Boolean> has(ClaimUid claim) {
        return switch (this) {
            case Named(Set<String> uids) -> Optional.of(uids.contains(claim.value()));
            case Missing() -> Optional.of(false);
            case Unreadable _ -> Optional.empty();
        };
    }
}
