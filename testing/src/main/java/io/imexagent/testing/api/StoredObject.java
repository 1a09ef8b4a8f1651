package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ObjectKey;

/**
 * An object as the store keeps it. Neither the tree nor the bytes are ever changed: a change is a new stored object.
 */
final class StoredObject {
    private final ObjectKey key;
    private final long revision;
    private final ObjectNode tree;
    private final byte[] bytes;

    /** Takes over the tree and writes the revision into it. */
    StoredObject(ObjectKey key, long revision, ObjectNode tree) {
        tree.withObject("/metadata").put("resourceVersion", Long.toString(revision));
        this.key = key;
        this.revision = revision;
        this.tree = tree;
        this.bytes = Json.bytes(tree);
    }

    ObjectKey key() {
        return key;
    }

    /** The resource version. */
    long revision() {
        return revision;
    }

    ObjectNode tree() {
        return tree;
    }

    /** The tree as JSON, written once and sent many times. */
    byte[] bytes() {
        return bytes;
    }

    boolean in(String namespace) {
        return namespace.isEmpty() || namespace.equals(key.namespace());
    }
}
