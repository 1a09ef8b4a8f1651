package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** The metadata that the server owns: names, UIDs, times, generations, finalizers. */
final class Metadata {
    /** The alphabet of generated names: no vowels, no digits that look like letters. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int RANDOM_LENGTH = 5;
    private static final int GENERATED_BASE_LIMIT = 63 - RANDOM_LENGTH;
    private static final List<String> SERVER_OWNED = List.of(
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "generateName",
            "namespace",
            "name");

    private static final int ANNOTATIONS_LIMIT = 256 << 10;

    private Metadata() {}

    static ObjectNode of(ObjectNode object) {
        return Json.child(object, "metadata");
    }

    /** Fills the metadata of a new object. */
    static void create(ResourceType type, ObjectNode object, String namespace, Instant now, RandomGenerator random) {
        ObjectNode metadata = of(object);
        String generateName = metadata.path("generateName").asText("");
        if (metadata.path("name").asText("").isEmpty() && !generateName.isEmpty()) {
            metadata.put("name", generated(generateName, random));
        }
        metadata.remove(
                List.of("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation", "managedFields"));
        if (type.namespaced()) {
            metadata.put("namespace", namespace);
        } else {
            metadata.remove("namespace");
        }
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        if (type.hasGeneration()) {
            metadata.put("generation", 1);
        }
    }

    /** Carries over what a client cannot change, and counts a change of the spec. */
    static void update(ResourceType type, ObjectNode object, ObjectNode old) {
        ObjectNode metadata = of(object);
        JsonNode before = old.path("metadata");
        for (String field : SERVER_OWNED) {
            if (before.has(field)) {
                metadata.set(field, before.get(field));
            } else {
                metadata.remove(field);
            }
        }
        metadata.remove(List.of("selfLink", "managedFields"));
        if (type.hasGeneration() && !object.path("spec").equals(old.path("spec"))) {
            countGeneration(metadata);
        }
    }

    /** Marks an object as being deleted; like the real server, this counts as a new generation. */
    static ObjectNode markedDeleted(ResourceType type, ObjectNode object, Instant now) {
        ObjectNode metadata = of(object);
        metadata.put("deletionTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        metadata.put("deletionGracePeriodSeconds", 0);
        if (type.hasGeneration()) {
            countGeneration(metadata);
        }
        return object;
    }

    static List<Cause> check(ResourceType type, ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        JsonNode metadata = object.path("metadata");
        String name = metadata.path("name").asText("");
        if (name.isEmpty()) {
            causes.add(Cause.required("metadata.name", "name or generateName is required"));
        } else if (type == ResourceType.NAMESPACES ? !Grammar.dnsLabel(name) : !Grammar.dnsSubdomain(name)) {
            causes.add(Cause.text("metadata.name", name, "a lowercase RFC 1123 subdomain is needed"));
        }
        for (Map.Entry<String, JsonNode> label : metadata.path("labels").properties()) {
            if (!Grammar.qualifiedName(label.getKey())) {
                causes.add(Cause.text("metadata.labels", label.getKey(), "must be a qualified name"));
            }
            if (!Grammar.labelValue(label.getValue().asText())) {
                causes.add(Cause.text("metadata.labels", label.getValue().asText(), "must be a valid label value"));
            }
        }
        int bytes = metadata.path("annotations").properties().stream()
                .map(annotation -> annotation.getKey() + annotation.getValue().asText())
                .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > ANNOTATIONS_LIMIT) {
            causes.add(Cause.tooLong("metadata.annotations", ANNOTATIONS_LIMIT));
        }
        for (String finalizer : texts(metadata.path("finalizers"))) {
            if (!Grammar.qualifiedName(finalizer)) {
                causes.add(Cause.text("metadata.finalizers", finalizer, "must be a qualified name"));
            }
        }
        long controllers = metadata.path("ownerReferences")
                .valueStream()
                .filter(owner -> owner.path("controller").asBoolean())
                .count();
        if (controllers > 1) {
            causes.add(Cause.text(
                    "metadata.ownerReferences",
                    Long.toString(controllers),
                    "Only one reference can have Controller set to true"));
        }
        return causes;
    }

    static List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        Set<String> added = texts(object.path("metadata").path("finalizers"));
        added.removeAll(texts(old.path("metadata").path("finalizers")));
        return added.isEmpty() || !Lifecycle.deleting(old)
                ? List.of()
                : List.of(Cause.forbidden(
                        "metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers "
                                + added));
    }

    private static void countGeneration(ObjectNode metadata) {
        metadata.put("generation", metadata.path("generation").asInt() + 1);
    }

    private static String generated(String base, RandomGenerator random) {
        StringBuilder name = new StringBuilder(base);
        name.setLength(Math.min(base.length(), GENERATED_BASE_LIMIT));
        for (int i = 0; i < RANDOM_LENGTH; i++) {
            name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return name.toString();
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new HashSet<>();
        list.forEach(item -> texts.add(item.asText()));
        return texts;
    }
}
