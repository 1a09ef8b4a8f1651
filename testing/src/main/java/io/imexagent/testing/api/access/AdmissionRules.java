package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What may be written into objects that may be written: the admission plugin NodeRestriction for kubelets, and the
 * admission policies of the manifests for what agents write into NVLinkNodes and NVLinkCliques.
 */
public final class AdmissionRules {
    private static final Set<String> OWN_LABELS = Set.of(
            "kubernetes.io/hostname",
            "kubernetes.io/arch",
            "kubernetes.io/os",
            "node.kubernetes.io/instance-type",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");

    private static final List<String> PREFIXES = List.of("system:node:", "imex-agent:");
    /** What the controller says in the status of an NVLinkNode. */
    private static final Set<String> CONTROLLERS = Set.of("node", "nodeSince");

    private static final List<String> KEPT = List.of("id", "computeDomain", "namespace", "name", "by");

    private AdmissionRules() {}

    /**
     * Returns where the identity may make the change; else it is a refusal with 403.
     *
     * @param old the object before, empty for a create
     * @param now the object after, empty for a delete
     */
    public static void check(
            UserIdentity identity,
            RequestVerb verb,
            ResourceType type,
            Optional<ObjectNode> old,
            Optional<ObjectNode> now) {
        ObjectNode object = now.or(() -> old).orElseThrow();
        Optional<String> kubelet = identity.nodeName().filter(node -> !identity.master());
        Optional<String> agent = agent(identity);
        switch (type) {
            case RESOURCE_SLICES -> kubelet.ifPresent(node -> checkSlice(node, verb, object));
            case NODES -> kubelet.ifPresent(node -> checkNode(node, name(object), old, now));
            case NVLINK_NODES ->
                agent.ifPresent(
                        node -> new RulePolicy("imex-agent-nvlinknodes", type, name(object)).checkNode(node, old, now));
            case NVLINK_CLIQUES ->
                agent.ifPresent(node ->
                        new RulePolicy("imex-agent-nvlinkcliques", type, name(object)).checkClique(node, old, now));
            default -> {}
        }
    }

    private static void checkSlice(String node, RequestVerb verb, ObjectNode slice) {
        if (!slice.path("spec").path("nodeName").asText("").equals(node)) {
            String done = switch (verb) {
                case CREATE -> "create";
                case DELETE, DELETECOLLECTION -> "delete";
                case GET, LIST, WATCH, UPDATE, PATCH -> "update";
            };
            // This plugin comes before a name is generated.
            String generated = verb == RequestVerb.CREATE
                    ? slice.at("/metadata/generateName").asText("")
                    : "";
            throw StatusException.forbidden(
                    ResourceType.RESOURCE_SLICES,
                    generated.isEmpty() ? name(slice) : generated,
                    "can only " + done + " ResourceSlice with the same NodeName as the requesting node");
        }
    }

    private static void checkNode(String node, String name, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        if (!name.equals(node)) {
            throw StatusException.forbidden(
                    ResourceType.NODES, name, "node \"" + node + "\" is not allowed to modify node \"" + name + "\"");
        }
        if (now.isPresent()) {
            Set<String> refused = changedLabels(old, now.get());
            refused.removeIf(AdmissionRules::mayChange);
            if (!refused.isEmpty()) {
                throw StatusException.forbidden(
                        ResourceType.NODES, node, "is not allowed to modify labels: " + String.join(", ", refused));
            }
        }
    }

    private static Set<String> changedLabels(Optional<ObjectNode> old, ObjectNode now) {
        Set<Map.Entry<String, JsonNode>> before =
                old.map(object -> object.at("/metadata/labels").properties()).orElseGet(Set::of);
        Set<Map.Entry<String, JsonNode>> after = now.at("/metadata/labels").properties();
        return Stream.concat(
                        before.stream().filter(label -> !after.contains(label)),
                        after.stream().filter(label -> !before.contains(label)))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean mayChange(String label) {
        int slash = label.indexOf('/');
        String domain = slash < 0 ? "" : label.substring(0, slash);
        boolean reserved = within(domain, "kubernetes.io") || within(domain, "k8s.io");
        return !reserved
                || OWN_LABELS.contains(label)
                || within(domain, "kubelet.kubernetes.io")
                || within(domain, "node.kubernetes.io");
    }

    private static boolean within(String domain, String parent) {
        return domain.equals(parent) || domain.endsWith("." + parent);
    }

    private static String name(ObjectNode object) {
        return object.path("metadata").path("name").asText("");
    }

    /** The node of an agent, or an empty text where it is one and names none; empty for everybody else. */
    private static Optional<String> agent(UserIdentity identity) {
        return PREFIXES.stream()
                .filter(identity.user()::startsWith)
                .map(prefix -> identity.user().substring(prefix.length()))
                .findFirst()
                .or(() -> identity.groups().contains(UserIdentity.NODES) ? Optional.of("") : Optional.empty());
    }

    /** A policy of the manifests at a write of this object. */
    private record RulePolicy(String name, ResourceType type, String object) {

        void require(boolean holds, String message) {
            if (!holds) {
                throw StatusException.denied(type, object, name, message);
            }
        }

        void checkNode(String node, Optional<ObjectNode> old, Optional<ObjectNode> now) {
            require(now.isPresent(), "an agent deletes no NVLinkNode; the controller does");
            require(object.equals(node), "an agent may write the NVLinkNode of its own node only");
            JsonNode metadata = now.orElseThrow().path("metadata");
            require(
                    finalizedBy(metadata, "imexagent.io/holds"),
                    "the finalizer of an NVLinkNode must be imexagent.io/holds and no other");
            require(
                    metadata.path("ownerReferences").isEmpty(),
                    "an NVLinkNode has no owner: it would be deleted with it, while its containers run on");
            JsonNode cliques = now.orElseThrow().at("/spec/cliques");
            JsonNode labels = metadata.path("labels");
            require(
                    labels.size() == cliques.size()
                            && cliques.valueStream()
                                    .map(clique -> labels.path("clique.imexagent.io/" + clique.asText()))
                                    .allMatch(value ->
                                            value.isTextual() && value.asText().isEmpty()),
                    "the labels of an NVLinkNode must be those of spec.cliques and no others");
            JsonNode status = now.orElseThrow().path("status");
            JsonNode before = old.map(object -> object.path("status")).orElseGet(MissingNode::getInstance);
            require(
                    CONTROLLERS.stream().noneMatch(status::has)
                            || CONTROLLERS.stream()
                                    .allMatch(field -> status.path(field).equals(before.path(field))),
                    "status.node and status.nodeSince of an NVLinkNode are the controller's word");
        }

        void checkClique(String node, Optional<ObjectNode> old, Optional<ObjectNode> now) {
            require(
                    old.isPresent() && now.isPresent(),
                    "an agent makes and deletes no NVLinkClique; the controller does");
            JsonNode metadata = now.orElseThrow().path("metadata");
            require(
                    finalizedBy(metadata, "imexagent.io/channels"),
                    "the finalizer of an NVLinkClique must be imexagent.io/channels and no other");
            require(
                    metadata.path("ownerReferences").isEmpty()
                            && metadata.path("labels").isEmpty(),
                    "an agent gives an NVLinkClique no owner and no labels");
            JsonNode before = old.orElseThrow().path("spec");
            JsonNode after = now.orElseThrow().path("spec");
            require(
                    before.path("limit").equals(after.path("limit")),
                    "an agent does not change the limit of an NVLinkClique");
            require(
                    !after.has("limitedBy") || before.path("limitedBy").equals(after.path("limitedBy")),
                    "an agent does not say which node limits an NVLinkClique");
            Map<Integer, JsonNode> entries = byChannel(before.path("channels"));
            Map<Integer, JsonNode> written = byChannel(after.path("channels"));
            require(
                    entries.entrySet().stream()
                            .allMatch(entry -> kept(
                                    entry.getValue(), written.getOrDefault(entry.getKey(), MissingNode.getInstance()))),
                    "an agent takes nothing out of an NVLinkClique, and changes no entry but from Releasing to Assigned");
            require(
                    written.entrySet().stream()
                            .filter(entry -> !entries.containsKey(entry.getKey()))
                            .map(Map.Entry::getValue)
                            .allMatch(entry -> entry.path("state").asText().equals("Assigned")
                                    && entry.path("by").asText().equals(node)),
                    "an agent adds entries in the name of its own node and as Assigned");
        }
    }

    /** The schema refuses two entries of one channel. */
    private static Map<Integer, JsonNode> byChannel(JsonNode entries) {
        return entries.valueStream()
                .collect(Collectors.toMap(entry -> entry.path("id").asInt(), entry -> entry, (first, second) -> first));
    }

    private static boolean kept(JsonNode entry, JsonNode now) {
        return now.equals(entry)
                || (entry.path("state").asText().equals("Releasing")
                        && now.path("state").asText().equals("Assigned")
                        && KEPT.stream().allMatch(field -> now.path(field).equals(entry.path(field))));
    }

    private static boolean finalizedBy(JsonNode metadata, String finalizer) {
        JsonNode finalizers = metadata.path("finalizers");
        return finalizers.size() == 1 && finalizers.path(0).asText().equals(finalizer);
    }
}
