package io.imexagent.core.ledger;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the ledger knows about one claim. */
public sealed interface ClaimEntry {

    ClaimUid uid();

    /** The claim's name; empty where an old checkpoint did not record it. */
    Optional<ClaimName> name();

    /** The claim's status when it was prepared, which identifies the version of the claim. */
    ClaimStatus status();

    /** The plan was accepted and its effects have begun; the kubelet has not been answered. */
    record Started(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status) implements ClaimEntry {}

    /** Everything that the claim needs is in place; the entry holds the answer to the kubelet. */
    record Completed(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, List<PreparedGroup> groups)
            implements ClaimEntry {

        public Completed {
            groups = List.copyOf(groups);
        }

        /** All prepared devices, in the order of their configurations. */
        public List<PreparedDevice> devices() {
            return groups.stream().flatMap(group -> group.devices().stream()).toList();
        }
    }

    /** The claim was unprepared before its prepare ended: a late prepare of this version is refused for a while. */
    record Aborted(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, Instant at) implements ClaimEntry {}
}
