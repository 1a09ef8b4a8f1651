package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The steps from what a client sent to what the server keeps: prune, carry over, drop, default, validate. Every method
 * returns a new tree or throws a {@link StatusException}; none touches the store.
 */
public final class Lifecycle {
    private final Clock clock;
    private final RandomGenerator random;
    private final Supplier<Gates> gates;

    /** A lifecycle that takes times, names and gates from these. */
    public Lifecycle(Clock clock, RandomGenerator random, Supplier<Gates> gates) {
        this.clock = clock;
        this.random = random;
        this.gates = gates;
    }

    /** Takes unknown fields out of what a client sent and says their paths; values of a wrong type are a refusal. */
    public List<String> fit(ResourceType type, ObjectNode sent) {
        Schema.Fit fit = ObjectRules.of(type).schema().fit(sent);
        List<Cause> wrong = fit.wrongTypes();
        if (!wrong.isEmpty() && type.custom()) {
            throw StatusException.invalid(type, Json.text(sent, "metadata.name"), wrong);
        }
        if (!wrong.isEmpty()) {
            throw StatusException.badRequest(
                    type.kind() + " in version \"" + type.version() + "\" cannot be handled as a "
                            + type.kind() + ": json: cannot unmarshal "
                            + wrong.getFirst().field() + ": "
                            + wrong.getFirst().message());
        }
        return fit.unknownFields();
    }

    /** A new object out of what a client sent. */
    public ObjectNode create(ResourceType type, String namespace, ObjectNode sent) {
        ObjectNode object = withTypeMeta(type, sent);
        if (!Json.text(object, "metadata.resourceVersion").isEmpty()) {
            throw StatusException.badRequest("resourceVersion should not be set on objects to be created");
        }
        Metadata.create(type, object, namespace, clock.instant(), random);
        if (type.hasStatusSubresource()) {
            object.remove("status");
            ObjectRules.of(type).setFirstStatus(object);
        }
        complete(type, object, Optional.empty());
        List<Cause> causes = Metadata.check(type, object);
        causes.addAll(ObjectRules.of(type).check(object));
        return accepted(type, object, causes);
    }

    /** The object after a write to its main endpoint: everything but the status. */
    public ObjectNode update(ResourceType type, ObjectNode old, ObjectNode sent) {
        ObjectNode object = withTypeMeta(type, sent);
        if (type.hasStatusSubresource()) {
            object.remove("status");
            if (old.has("status")) {
                object.set("status", old.path("status").deepCopy());
            }
        }
        complete(type, object, Optional.of(old));
        Metadata.update(type, object, old);
        List<Cause> causes = Metadata.check(type, object);
        causes.addAll(Metadata.checkChange(object, old));
        causes.addAll(ObjectRules.of(type).check(object));
        causes.addAll(ObjectRules.of(type).checkChange(object, old));
        return accepted(type, object, causes);
    }

    /** The object after a write to its status endpoint: nothing but the status. */
    public ObjectNode updateStatus(ResourceType type, ObjectNode old, ObjectNode sent) {
        ObjectNode object = old.deepCopy();
        object.remove("status");
        if (sent.has("status")) {
            object.set("status", sent.path("status").deepCopy());
        }
        ObjectRules.of(type).setDefaults(object, clock.instant());
        return accepted(type, object, new ArrayList<>(ObjectRules.of(type).checkStatus(object, old)));
    }

    /** The object marked as being deleted. */
    public ObjectNode markDeleted(ResourceType type, ObjectNode old) {
        return Metadata.markedDeleted(type, old.deepCopy(), clock.instant());
    }

    /** An object that a test puts there as it stands; only metadata that every object has is filled in. */
    public ObjectNode seed(ResourceType type, ObjectNode given) {
        ObjectNode object = withTypeMeta(type, given);
        ObjectNode asCreated = object.deepCopy();
        Metadata.create(type, asCreated, Json.text(object, "metadata.namespace"), clock.instant(), random);
        ObjectNode metadata = Metadata.of(object);
        for (Map.Entry<String, JsonNode> field : Metadata.of(asCreated).properties()) {
            if (!metadata.has(field.getKey())) {
                metadata.set(field.getKey(), field.getValue());
            }
        }
        return object;
    }

    /** Whether an object that is being deleted has no finalizer left. */
    public static boolean mayGo(JsonNode object) {
        return deleting(object) && !held(object);
    }

    /** Whether finalizers keep a deleted object for now. */
    public static boolean held(JsonNode object) {
        return !object.path("metadata").path("finalizers").isEmpty();
    }

    /** Whether the object is being deleted. */
    public static boolean deleting(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    private void complete(ResourceType type, ObjectNode object, Optional<ObjectNode> old) {
        ObjectRules.of(type).dropGated(object, old, gates.get());
        ObjectRules.of(type).setDefaults(object, clock.instant());
    }

    private static ObjectNode withTypeMeta(ResourceType type, ObjectNode sent) {
        ObjectNode object = Json.object();
        object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        sent.properties().forEach(field -> {
            if (!object.has(field.getKey())) {
                object.set(field.getKey(), field.getValue().deepCopy());
            }
        });
        return object;
    }

    private static ObjectNode accepted(ResourceType type, ObjectNode object, List<Cause> causes) {
        if (!causes.isEmpty()) {
            throw StatusException.invalid(type, Json.text(object, "metadata.name"), causes);
        }
        return object;
    }
}
