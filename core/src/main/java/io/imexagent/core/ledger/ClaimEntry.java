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

    /** The claim's status when it was prepared, which tells its version. */
    ClaimStatus status();

    /** The plan was accepted and its effects have begun; the kubelet has not been answered. */
    record Started(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status) implements ClaimEntry {}

    /** Everything that the claim needs is in place; the answer to the kubelet stands here. */
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

    /** Unprepared before its prepare ended: for a while a belated prepare of this version is refused. */
    record Aborted(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, Instant at) implements ClaimEntry {}
}
