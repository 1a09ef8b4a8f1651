package io.imexagent.testing.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;

/** Mistakes of users for which a claim is refused for good, whatever the node does. */
public enum UserMistake {
    /** {@code allocationMode: All}, which host-managed IMEX does not have. */
    ALLOCATION_MODE {
        @Override
        void spoil(ObjectNode parameters) {
            parameters.put("allocationMode", "All");
        }
    },
    /** A field that the configuration does not have. */
    UNKNOWN_FIELD {
        @Override
        void spoil(ObjectNode parameters) {
            parameters.put("domainId", parameters.path("domainID").asText());
        }
    },
    /** No ComputeDomain named. */
    NO_DOMAIN {
        @Override
        void spoil(ObjectNode parameters) {
            parameters.put("domainID", "");
        }
    };

    abstract void spoil(ObjectNode parameters);

    /** The workload's objects with this mistake in its claim. */
    public ObjectNode objects(Workload workload) {
        ObjectNode claim = workload.claimObject();
        spoil(claim.withObject("/status/allocation/devices/config/0/opaque/parameters"));
        ObjectNode list = Json.object();
        list.putArray("items").add(workload.podObject()).add(claim);
        return list;
    }
}
