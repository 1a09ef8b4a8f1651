package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** ResourceClaims: the spec never changes, an allocation only comes and goes. */
final class ResourceClaimRules implements ObjectRules {
    private static final int RESERVED_FOR_LIMIT = 256;

    @Override
    public Shape shape() {
        return Shapes.RESOURCE_CLAIM;
    }

    @Override
    public void setDefaults(ObjectNode object, Instant now) {
        ClaimSpecRules.setDefaults(object.path("spec"));
    }

    @Override
    public void setFirstStatus(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        return ClaimSpecRules.check(object.path("spec"), "spec");
    }

    @Override
    public List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        return object.path("spec").equals(old.path("spec"))
                ? List.of()
                : List.of(Cause.invalid("spec", object.path("spec").toString(), "field is immutable"));
    }

    @Override
    public List<Cause> checkStatus(ObjectNode object, ObjectNode old) {
        List<Cause> causes = new ArrayList<>();
        JsonNode allocation = object.path("status").path("allocation");
        JsonNode before = old.path("status").path("allocation");
        if (!allocation.isMissingNode() && !before.isMissingNode() && !allocation.equals(before)) {
            causes.add(Cause.invalid("status.allocation", allocation.toString(), "field is immutable"));
        }
        checkReservations(object.path("status").path("reservedFor"), allocation.isMissingNode(), causes);
        return causes;
    }

    private static void checkReservations(JsonNode reservations, boolean unallocated, List<Cause> causes) {
        if (!reservations.isEmpty() && unallocated) {
            causes.add(Cause.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
        }
        if (reservations.size() > RESERVED_FOR_LIMIT) {
            causes.add(Cause.tooMany("status.reservedFor", reservations.size(), RESERVED_FOR_LIMIT));
        }
        Set<String> uids = new HashSet<>();
        for (int i = 0; i < reservations.size(); i++) {
            String uid = reservations.get(i).path("uid").asText();
            if (uid.isEmpty()) {
                causes.add(Cause.required("status.reservedFor[" + i + "].uid", ""));
            } else if (!uids.add(uid)) {
                causes.add(Cause.duplicate("status.reservedFor[" + i + "].uid", uid));
            }
        }
    }
}
