package io.imexagent.testing.api;

import io.imexagent.testing.api.object.FieldSelector;
import io.imexagent.testing.api.object.LabelSelector;
import io.imexagent.testing.api.object.ResourceType;

/**
 * Which objects a list or a watch is about.
 *
 * @param namespace empty for all
 */
record Filter(ResourceType type, String namespace, LabelSelector labels, FieldSelector fields) {
    boolean matches(StoredObject object) {
        return object.key().type() == type
                && object.in(namespace)
                && labels.matches(object.tree())
                && fields.matches(object.tree());
    }
}
