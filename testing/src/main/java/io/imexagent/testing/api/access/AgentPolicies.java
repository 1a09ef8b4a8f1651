package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.List;
import java.util.Optional;

/** The admission policies of the manifests for NVLinkNodes and NVLinkCliques: what an agent may write into them. */
public final class AgentPolicies {
    private static final List<String> PREFIXES = List.of("system:node:", "imex-agent:");
    private static final List<String> KEPT = List.of("id", "computeDomain", "namespace", "name", "by");

    private AgentPolicies() {}

    /**
     * Returns where the identity may make the change; else it is a refusal with 403.
     *
     * @param old the object before, empty for a create
     * @param now the object after, empty for a delete
     */
    public static void check(Identity identity, ResourceType type, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        Optional<String> node = node(identity);
        if (node.isPresent() && type == ResourceType.NVLINK_NODES) {
            deny(type, "imex-agent-nvlinknodes", old, now, nodeObjection(node.get(), now));
        } else if (node.isPresent() && type == ResourceType.NVLINK_CLIQUES) {
            deny(type, "imex-agent-nvlinkcliques", old, now, cliqueObjection(node.get(), old, now));
        }
    }

    private static void deny(
            ResourceType type,
            String policy,
            Optional<ObjectNode> old,
            Optional<ObjectNode> now,
            Optional<String> objection) {
        if (objection.isPresent()) {
            String name = now.or(() -> old).orElseThrow().at("/metadata/name").asText();
            throw StatusException.denied(type, name, policy, objection.get());
        }
    }

    /** The node of an agent, or an empty text where it is one and names none; empty for everybody else. */
    private static Optional<String> node(Identity identity) {
        return PREFIXES.stream()
                .filter(identity.user()::startsWith)
                .map(prefix -> identity.user().substring(prefix.length()))
                .findFirst()
                .or(() -> identity.groups().contains(Identity.NODES) ? Optional.of("") : Optional.empty());
    }

    private static Optional<String> nodeObjection(String node, Optional<ObjectNode> now) {
        if (now.isEmpty()) {
            return Optional.of("an agent deletes no NVLinkNode; the controller does");
        }
        JsonNode metadata = now.get().path("metadata");
        if (!metadata.path("name").asText().equals(node)) {
            return Optional.of("an agent may write the NVLinkNode of its own node only");
        }
        if (!finalizedBy(metadata, "imexagent.io/holds")) {
            return Optional.of("the finalizer of an NVLinkNode must be imexagent.io/holds and no other");
        }
        if (!metadata.path("ownerReferences").isEmpty()) {
            return Optional.of("an NVLinkNode has no owner: it would be deleted with it, while its containers run on");
        }
        JsonNode cliques = now.get().path("spec").path("cliques");
        JsonNode labels = metadata.path("labels");
        boolean labelled = labels.size() == cliques.size()
                && cliques.valueStream()
                        .map(clique -> labels.path("clique.imexagent.io/" + clique.asText()))
                        .allMatch(value -> value.isTextual() && value.asText().isEmpty());
        return labelled
                ? Optional.empty()
                : Optional.of("the labels of an NVLinkNode must be those of spec.cliques and no others");
    }

    private static Optional<String> cliqueObjection(String node, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        if (old.isEmpty() || now.isEmpty()) {
            return Optional.of("an agent makes and deletes no NVLinkClique; the controller does");
        }
        JsonNode metadata = now.get().path("metadata");
        if (!finalizedBy(metadata, "imexagent.io/channels")) {
            return Optional.of("the finalizer of an NVLinkClique must be imexagent.io/channels and no other");
        }
        if (!metadata.path("ownerReferences").isEmpty()
                || !metadata.path("labels").isEmpty()) {
            return Optional.of("an agent gives an NVLinkClique no owner and no labels");
        }
        JsonNode before = old.get().path("spec");
        JsonNode after = now.get().path("spec");
        return before.path("limit").equals(after.path("limit"))
                ? tableObjection(node, before.path("channels"), after.path("channels"))
                : Optional.of("an agent does not change the limit of an NVLinkClique");
    }

    private static Optional<String> tableObjection(String node, JsonNode before, JsonNode after) {
        List<JsonNode> written = without(after, before);
        List<JsonNode> gone = without(before, after);
        if (written.size() > 1) {
            return Optional.of("an agent changes one entry of an NVLinkClique at a time");
        }
        if (!gone.stream().allMatch(entry -> takenBack(entry, written))) {
            return Optional.of(
                    "an agent takes nothing out of an NVLinkClique, and changes no entry but from Releasing to Assigned");
        }
        boolean own = written.stream()
                .allMatch(entry -> entry.path("state").asText().equals("Assigned")
                        && (entry.path("by").asText().equals(node) || gone.size() == 1));
        return own
                ? Optional.empty()
                : Optional.of("an agent adds entries in the name of its own node and as Assigned");
    }

    private static List<JsonNode> without(JsonNode list, JsonNode other) {
        List<JsonNode> others = other.valueStream().toList();
        return list.valueStream().filter(entry -> !others.contains(entry)).toList();
    }

    private static boolean takenBack(JsonNode entry, List<JsonNode> written) {
        return entry.path("state").asText().equals("Releasing")
                && written.stream()
                        .anyMatch(now ->
                                KEPT.stream().allMatch(field -> now.path(field).equals(entry.path(field))));
    }

    private static boolean finalizedBy(JsonNode metadata, String finalizer) {
        JsonNode finalizers = metadata.path("finalizers");
        return finalizers.size() == 1 && finalizers.path(0).asText().equals(finalizer);
    }
}
