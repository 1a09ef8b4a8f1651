package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;

/** What the API server says of a claim that is prepared here. */
public sealed interface Sighting {

    /** What was seen, a clause. */
    String text();

    /** The claim exists; one that is being deleted does. */
    record Present(String text) implements Sighting {}

    sealed interface Absent extends Sighting {}

    /** The claim does not exist; one of its name may. */
    record Gone(String text) implements Absent {}

    /** No pod of this node leads to the claim, or none yet. */
    record Unrelated(String text) implements Absent {}

    record Untold(String text) implements Sighting {}

    /** Asks for the claim. Blocking. */
    static Sighting of(Claims claims, ClaimName name, ClaimUid uid) {
        try {
            return claims.get(name).map(found -> of(found, uid)).orElseGet(() -> new Gone("there is no claim " + name));
        } catch (ApiException e) {
            return e.failure().kind() == ApiFailure.Kind.NO_RELATIONSHIP
                    ? new Unrelated("no pod of this node uses claim " + name)
                    : new Untold(e.failure().message());
        }
    }

    private static Sighting of(Claims.ClaimObject found, ClaimUid uid) {
        return found.uid().equals(uid.value())
                ? new Present("claim " + found.name() + (found.deleting() ? " is being deleted" : " exists"))
                : new Gone("claim " + found.name() + " has another UID now");
    }
}
