package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ObjectKey;
import io.vertx.core.buffer.Buffer;

/**
 * An object as the store keeps it, with its JSON, written once and sent many times. Neither the tree nor the bytes are
 * ever changed: a change is a new stored object.
 */
record StoredObject(ObjectKey key, long revision, ObjectNode tree, Buffer bytes) {
    /** Takes over the tree and writes the revision into it. */
    static StoredObject of(ObjectKey key, long revision, ObjectNode tree) {
        tree.withObject("/metadata").put("resourceVersion", Long.toString(revision));
        return new StoredObject(key, revision, tree, Buffer.buffer(Json.bytes(tree)));
    }

    /** The value at a pointer, as text; empty where there is none. */
    String text(String pointer) {
        return tree.at(pointer).asText("");
    }
}
