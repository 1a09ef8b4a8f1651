package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;

/** What the API server says of a claim that is prepared here. */
public sealed interface ClaimPresence {

    /** What was seen, a clause. */
    String text();

    /** The claim exists; one that is being deleted does. */
    record ClaimPresent(String text) implements ClaimPresence {}

    sealed interface ClaimAbsent extends ClaimPresence {}

    /** The claim does not exist; one of its name may. */
    record ClaimDeleted(String text) implements ClaimAbsent {}

    /** No pod of this node leads to the claim, or none yet. */
    record ClaimOfNoPod(String text) implements ClaimAbsent {}

    record PresenceUnknown(String text) implements ClaimPresence {}

    /** Asks for the claim. Blocking. */
    static ClaimPresence of(Claims claims, ClaimName name, ClaimUid uid) {
        try {
            return claims.get(name)
                    .map(found -> of(found, uid))
                    .orElseGet(() -> new ClaimDeleted("there is no claim " + name));
        } catch (ApiException e) {
            return e.failure().kind() == ApiFailure.FailureKind.NO_RELATIONSHIP
                    ? new ClaimOfNoPod("no pod of this node uses claim " + name)
                    : new PresenceUnknown(e.failure().message());
        }
    }

    private static ClaimPresence of(Claims.ClaimObject found, ClaimUid uid) {
        return found.uid().equals(uid.value())
                ? new ClaimPresent("claim " + found.name() + (found.deleting() ? " is being deleted" : " exists"))
                : new ClaimDeleted("claim " + found.name() + " has another UID now");
    }
}
