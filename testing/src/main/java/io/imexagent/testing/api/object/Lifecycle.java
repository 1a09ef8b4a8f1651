package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The steps from what a client sent to what the server keeps: prune, carry over, drop, default, validate. Every method
 * returns a new tree or throws a {@link StatusException}; none touches the store.
 */
public final class Lifecycle {
    /** The alphabet of generated names: no vowels, no digits that look like letters. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int RANDOM_LENGTH = 5;
    private static final int GENERATED_BASE_LIMIT = 63 - RANDOM_LENGTH;
    private static final int ANNOTATIONS_LIMIT = 256 << 10;
    private static final List<String> SERVER_OWNED = List.of(
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "generateName",
            "namespace",
            "name");

    private final Clock clock;
    private final RandomGenerator random;
    private final Supplier<Gates> gates;

    public Lifecycle(Clock clock, RandomGenerator random, Supplier<Gates> gates) {
        this.clock = clock;
        this.random = random;
        this.gates = gates;
    }

    /** Takes unknown fields out of what a client sent and says their paths; values of a wrong type are a refusal. */
    public List<String> fit(ResourceType type, ObjectNode sent) {
        Schema.Fit fit = ObjectRules.of(type).schema().fit(sent);
        if (!type.custom() && !fit.wrongTypes().isEmpty()) {
            StatusCause first = fit.wrongTypes().getFirst();
            throw StatusException.badRequest(type.kind() + " in version \"" + type.version()
                    + "\" cannot be handled as a " + type.kind() + ": json: cannot unmarshal " + first.field() + ": "
                    + first.message());
        }
        accepted(type, sent, fit.wrongTypes());
        return fit.unknownFields();
    }

    /** A new object out of what a client sent. */
    public ObjectNode create(ResourceType type, String namespace, ObjectNode sent) {
        ObjectNode object = withTypeMeta(type, sent);
        if (!object.at("/metadata/resourceVersion").asText("").isEmpty()) {
            throw StatusException.badRequest("resourceVersion should not be set on objects to be created");
        }
        giveMetadata(type, object, namespace);
        if (type.hasStatusSubresource()) {
            object.remove("status");
            ObjectRules.of(type).setFirstStatus(object);
        }
        complete(type, object, Optional.empty());
        return accepted(type, object, check(type, object));
    }

    /** The object after a write to its main endpoint: everything but the status. */
    public ObjectNode update(ResourceType type, ObjectNode old, ObjectNode sent) {
        ObjectNode object = withTypeMeta(type, sent);
        if (type.hasStatusSubresource()) {
            setStatus(object, old);
        }
        complete(type, object, Optional.of(old));
        keepMetadata(type, object, old);
        List<StatusCause> causes = check(type, object);
        Set<String> added = finalizers(object);
        added.removeAll(finalizers(old));
        if (deleting(old) && !added.isEmpty()) {
            causes.add(StatusCause.forbidden(
                    "metadata.finalizers",
                    "no new finalizers can be added if the object is being deleted, found new finalizers " + added));
        }
        causes.addAll(ObjectRules.of(type).checkChange(object, old));
        return accepted(type, object, causes);
    }

    /** The object after a write to its status endpoint: nothing but the status. */
    public ObjectNode updateStatus(ResourceType type, ObjectNode old, ObjectNode sent) {
        ObjectNode object = old.deepCopy();
        setStatus(object, sent);
        ObjectRules.of(type).dropDeallocated(object, old);
        ObjectRules.of(type).setDefaults(object, clock.instant());
        return accepted(type, object, ObjectRules.of(type).checkStatus(object, old));
    }

    /** Entries about the devices of a claim by what tells these apart: driver, pool, device and share. */
    public static Map<String, JsonNode> reports(JsonNode entries) {
        return ObjectRules.reports(entries);
    }

    /** The object marked as being deleted; like the real server, this counts as a new generation. */
    public ObjectNode markDeleted(ResourceType type, ObjectNode old) {
        ObjectNode object = old.deepCopy();
        ObjectNode metadata = metadata(object);
        metadata.put("deletionTimestamp", now());
        metadata.put("deletionGracePeriodSeconds", 0);
        if (type.hasGeneration()) {
            countGeneration(metadata);
        }
        return object;
    }

    /** An object that a test puts there as it stands; only metadata that every object has is filled in. */
    public ObjectNode seed(ResourceType type, ObjectNode given) {
        ObjectNode object = withTypeMeta(type, given);
        ObjectNode own = metadata(object).deepCopy();
        giveMetadata(type, object, own.path("namespace").asText(""));
        metadata(object).setAll(own);
        return object;
    }

    /** Whether an object that is being deleted has no finalizer left. */
    public static boolean mayGo(JsonNode object) {
        return deleting(object) && !held(object);
    }

    /** Whether finalizers keep a deleted object for now. */
    public static boolean held(JsonNode object) {
        return !object.at("/metadata/finalizers").isEmpty();
    }

    public static boolean deleting(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
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

    private static void setStatus(ObjectNode object, ObjectNode from) {
        object.remove("status");
        if (from.has("status")) {
            object.set("status", from.path("status").deepCopy());
        }
    }

    private void complete(ResourceType type, ObjectNode object, Optional<ObjectNode> old) {
        ObjectRules.of(type).dropGated(object, old, gates.get());
        ObjectRules.of(type).setDefaults(object, clock.instant());
    }

    /** The metadata of a new object: a name where one is to be generated, and what the server owns. */
    private void giveMetadata(ResourceType type, ObjectNode object, String namespace) {
        ObjectNode metadata = metadata(object);
        String generateName = metadata.path("generateName").asText("");
        if (metadata.path("name").asText("").isEmpty() && !generateName.isEmpty()) {
            metadata.put("name", generated(generateName));
        }
        metadata.remove(
                List.of("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation", "managedFields"));
        if (type.namespaced()) {
            metadata.put("namespace", namespace);
        } else {
            metadata.remove("namespace");
        }
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put("creationTimestamp", now());
        if (type.hasGeneration()) {
            metadata.put("generation", 1);
        }
        dropEmpty(metadata);
    }

    private String generated(String base) {
        StringBuilder name = new StringBuilder(base);
        name.setLength(Math.min(base.length(), GENERATED_BASE_LIMIT));
        for (int i = 0; i < RANDOM_LENGTH; i++) {
            name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return name.toString();
    }

    /** Carries over what a client cannot change, and counts a change of the spec. */
    private static void keepMetadata(ResourceType type, ObjectNode object, ObjectNode old) {
        ObjectNode metadata = metadata(object);
        metadata.remove(SERVER_OWNED).remove(List.of("selfLink", "managedFields"));
        for (String field : SERVER_OWNED) {
            Optional.ofNullable(old.path("metadata").get(field)).ifPresent(value -> metadata.set(field, value));
        }
        if (type.hasGeneration() && !object.path("spec").equals(old.path("spec"))) {
            countGeneration(metadata);
        }
        dropEmpty(metadata);
    }

    /** No list and no map of the metadata is kept that is empty. */
    private static void dropEmpty(ObjectNode metadata) {
        metadata.properties()
                .removeIf(field ->
                        field.getValue().isContainerNode() && field.getValue().isEmpty());
    }

    private static void countGeneration(ObjectNode metadata) {
        metadata.put("generation", metadata.path("generation").asInt() + 1);
    }

    private static List<StatusCause> check(ResourceType type, ObjectNode object) {
        List<StatusCause> causes = ObjectRules.of(type).check(object);
        int bytes = object.at("/metadata/annotations").properties().stream()
                .map(annotation -> annotation.getKey() + annotation.getValue().asText())
                .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > ANNOTATIONS_LIMIT) {
            causes.add(StatusCause.tooLong("metadata.annotations", ANNOTATIONS_LIMIT));
        }
        long controllers = object.at("/metadata/ownerReferences")
                .valueStream()
                .filter(owner -> owner.path("controller").asBoolean())
                .count();
        if (controllers > 1) {
            causes.add(StatusCause.text(
                    "metadata.ownerReferences",
                    Long.toString(controllers),
                    "Only one reference can have Controller set to true"));
        }
        return causes;
    }

    private static Set<String> finalizers(JsonNode object) {
        return object.at("/metadata/finalizers")
                .valueStream()
                .map(JsonNode::asText)
                .collect(Collectors.toSet());
    }

    private static ObjectNode metadata(ObjectNode object) {
        return Json.child(object, "metadata");
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static ObjectNode accepted(ResourceType type, ObjectNode object, List<StatusCause> causes) {
        if (!causes.isEmpty()) {
            throw StatusException.invalid(type, object.at("/metadata/name").asText(""), causes);
        }
        return object;
    }
}
