package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the server does to the objects of one type: known fields, gates, defaults, validation. */
interface ObjectRules {
    /** The known fields. */
    Shape shape();

    /** Drops fields whose gate is off and which the old object does not use either. */
    default void dropGated(ObjectNode object, Optional<ObjectNode> old, Gates gates) {}

    /** Sets fields that are missing. */
    default void setDefaults(ObjectNode object, Instant now) {}

    /** Sets the status of a new object, after the sender's own was dropped. */
    default void setFirstStatus(ObjectNode object) {}

    /** Faults of an object, whatever it was before. */
    default List<Cause> check(ObjectNode object) {
        return List.of();
    }

    /** Faults of a change. */
    default List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        return List.of();
    }

    /** Faults of a change of the status. */
    default List<Cause> checkStatus(ObjectNode object, ObjectNode old) {
        return List.of();
    }

    /** The rules of a type. */
    static ObjectRules of(ResourceType type) {
        return switch (type) {
            case COMPUTE_DOMAINS -> new ComputeDomainRules();
            case RESOURCE_CLAIMS -> new ResourceClaimRules();
            case RESOURCE_CLAIM_TEMPLATES -> new ClaimTemplateRules();
            case RESOURCE_SLICES -> new ResourceSliceRules();
            case DEVICE_CLASSES -> () -> Shapes.DEVICE_CLASS;
            case EVENTS -> new EventRules();
            case PODS -> new PodRules();
            case NVLINK_NODES -> new NvlinkNodeRules();
            case NVLINK_CLIQUES -> new NvlinkCliqueRules();
            case NAMESPACES, NODES, LEASES -> () -> Shape.Leaf.ANY;
        };
    }
}
