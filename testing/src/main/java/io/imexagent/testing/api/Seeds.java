package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Consumer;

/** The way past the rules: objects that a test puts, changes and removes as the rest of a cluster would. */
final class Seeds {
    private final ObjectStore store;
    private final Lifecycle lifecycle;

    Seeds(ObjectStore store, Lifecycle lifecycle) {
        this.store = store;
        this.lifecycle = lifecycle;
    }

    /** Puts one object, or those of a List, there as they stand. */
    void apply(JsonNode given) {
        if (given.path("items").isArray()) {
            given.path("items").forEach(this::apply);
            return;
        }
        ObjectNode object = normal(given);
        ResourceType type = typeOf(object);
        String name = object.path("metadata").path("name").asText("");
        String asked = object.path("metadata").path("namespace").asText("default");
        String namespace = type.namespaced() ? (asked.isEmpty() ? "default" : asked) : "";
        store.atomically(() -> {
            if (type.namespaced()) {
                namespace(namespace);
            }
            ObjectKey key = new ObjectKey(type, namespace, name);
            store.get(key).ifPresent(old -> adopt(old, object));
            return store.put(key, lifecycle.seed(type, object));
        });
    }

    /** Makes a namespace where it is missing. */
    void namespace(String name) {
        ObjectKey key = new ObjectKey(ResourceType.NAMESPACES, "", name);
        if (store.get(key).isEmpty()) {
            ObjectNode object = Json.object();
            object.putObject("metadata").put("name", name);
            object.putObject("status").put("phase", "Active");
            store.put(key, lifecycle.seed(ResourceType.NAMESPACES, object));
        }
    }

    /** Changes an object as the server itself may. */
    ObjectNode edit(ObjectKey key, Consumer<ObjectNode> change) {
        return store.atomically(() -> {
            ObjectNode object = store.get(key)
                    .orElseThrow(() -> new IllegalArgumentException("there is no " + key))
                    .tree()
                    .deepCopy();
            change.accept(object);
            return store.put(key, normal(object)).tree();
        });
    }

    /** Removes an object, finalizers or not; false where there is none. */
    boolean remove(ObjectKey key) {
        return store.atomically(() -> {
            Optional<StoredObject> found = store.get(key);
            found.ifPresent(object -> store.remove(key, object.tree().deepCopy()));
            return found.isPresent();
        });
    }

    /** An object that was there keeps its identity, unless the seed brings its own: then it was replaced. */
    private void adopt(StoredObject old, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        JsonNode before = old.tree().path("metadata");
        String uid = metadata.path("uid").asText("");
        if (uid.isEmpty()) {
            metadata.set("uid", before.path("uid"));
            metadata.set("creationTimestamp", before.path("creationTimestamp"));
        } else if (!uid.equals(before.path("uid").asText())) {
            store.remove(old.key(), old.tree().deepCopy());
        }
    }

    static ResourceType typeOf(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText();
        String kind = object.path("kind").asText();
        return ResourceType.ofKind(apiVersion, kind)
                .orElseThrow(() -> new IllegalArgumentException("the double serves no " + apiVersion + " " + kind));
    }

    /** The tree as a parser would have built it, so that numbers compare equal to those that clients send. */
    static ObjectNode normal(JsonNode given) {
        try {
            if (Json.parse(Json.bytes(given)) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("JSON that was just written cannot be read", e);
        }
        throw new IllegalArgumentException("not an object: " + given);
    }
}
