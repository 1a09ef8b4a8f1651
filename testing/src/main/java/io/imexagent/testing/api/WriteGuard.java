package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.object.ResourceType;
import java.util.Optional;

/** Looks at a change before it is stored, and throws a refusal where it must not happen. */
@FunctionalInterface
interface WriteGuard {
    void check(Verb verb, ResourceType type, Optional<ObjectNode> old, Optional<ObjectNode> now);
}
