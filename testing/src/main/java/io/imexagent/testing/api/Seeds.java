package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The way past the rules: objects that a test puts, changes and removes as the rest of a cluster would. */
final class Seeds {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final ObjectStore store;
    private final Lifecycle lifecycle;

    Seeds(ObjectStore store, Lifecycle lifecycle) {
        this.store = store;
        this.lifecycle = lifecycle;
    }

    /** Puts the objects of a file there: YAML with any number of documents, or JSON, which is YAML too. */
    void apply(Path file) throws IOException {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            documents.readAll().stream().filter(JsonNode::isObject).forEach(this::apply);
        } catch (IOException e) {
            throw new IOException("cannot read objects from " + file + ": " + e.getMessage(), e);
        }
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
        String asked = object.path("metadata").path("namespace").asText("");
        String namespace = !type.namespaced() ? "" : asked.isEmpty() ? "default" : asked;
        store.atomically(() -> {
            if (type.namespaced()) {
                object.withObject("/metadata").put("namespace", namespace);
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

    /** Removes all slices of a node, and says how many there were. */
    int removeSlices(String node) {
        return store.atomically(() -> {
            List<StoredObject> slices = store.all(ResourceType.RESOURCE_SLICES).stream()
                    .filter(slice -> slice.text("/spec/nodeName").equals(node))
                    .toList();
            slices.forEach(slice -> remove(slice.key()));
            return slices.size();
        });
    }

    /** An object that was there keeps its identity, unless the seed brings its own: then it was replaced. */
    private void adopt(StoredObject old, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        String uid = metadata.path("uid").asText("");
        if (uid.isEmpty()) {
            metadata.set("uid", old.tree().at("/metadata/uid"));
            metadata.set("creationTimestamp", old.tree().at("/metadata/creationTimestamp"));
        } else if (!uid.equals(old.text("/metadata/uid"))) {
            remove(old.key());
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
        return Json.sent(Json.bytes(given));
    }
}
