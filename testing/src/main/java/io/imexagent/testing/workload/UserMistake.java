package io.imexagent.testing.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;

/** Mistakes of users in the parameters of a claim, which is refused for good then, whatever the node does. */
public enum UserMistake {
    /** {@code allocationMode: All}, which host-managed IMEX does not have. */
    ALLOCATION_MODE("allocationMode", "All"),
    /** A field that the configuration does not have. */
    UNKNOWN_FIELD("domainId", "00000000-0000-4000-8000-000000000001"),
    /** No ComputeDomain named. */
    NO_DOMAIN("domainID", "");

    private final String field;
    private final String value;

    UserMistake(String field, String value) {
        this.field = field;
        this.value = value;
    }

    /** The workload's objects with this mistake in its claim. */
    public ObjectNode objects(Workload workload) {
        ObjectNode claim = workload.claimObject();
        claim.withObject("/status/allocation/devices/config/0/opaque/parameters")
                .put(field, value);
        ObjectNode list = Json.object();
        list.putArray("items").add(workload.podObject()).add(claim);
        return list;
    }
}
