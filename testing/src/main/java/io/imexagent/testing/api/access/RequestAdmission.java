package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.Optional;

/** What a cluster's own policies say of a write that the roles allow. */
@FunctionalInterface
public interface RequestAdmission {

    /** A cluster without policies. */
    RequestAdmission NONE = (identity, write) -> {};

    /**
     * A write as policies see it.
     *
     * @param verb create, update, patch or delete
     * @param subresource empty for the object itself
     * @param old the object before, empty for a create
     * @param now the object after, empty for a delete
     */
    record AdmittedWrite(
            RequestVerb verb,
            ResourceType type,
            String subresource,
            Optional<ObjectNode> old,
            Optional<ObjectNode> now) {}

    /** Returns where the write may be made; else a {@link StatusException} says why not. */
    void check(UserIdentity identity, AdmittedWrite write);
}
