package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The admission plugin NodeRestriction: what a kubelet may write into objects that it may write. */
public final class NodeRestriction {
    private static final Set<String> OWN_LABELS = Set.of(
            "kubernetes.io/hostname",
            "kubernetes.io/arch",
            "kubernetes.io/os",
            "node.kubernetes.io/instance-type",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");

    private NodeRestriction() {}

    /**
     * Returns where the identity may make the change; else it is a refusal with 403.
     *
     * @param old the object before, empty for a create
     * @param now the object after, empty for a delete
     */
    public static void check(
            Identity identity, Verb verb, ResourceType type, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        if (identity.nodeName().isEmpty() || identity.groups().contains(Identity.MASTERS)) {
            return;
        }
        String node = identity.nodeName().get();
        if (type == ResourceType.RESOURCE_SLICES) {
            checkSlice(node, verb, now.or(() -> old).orElseThrow());
        } else if (type == ResourceType.NODES) {
            checkNode(node, old, now);
        }
    }

    private static void checkSlice(String node, Verb verb, ObjectNode slice) {
        if (!slice.path("spec").path("nodeName").asText("").equals(node)) {
            String done = switch (verb) {
                case CREATE -> "create";
                case DELETE, DELETECOLLECTION -> "delete";
                case GET, LIST, WATCH, UPDATE, PATCH -> "update";
            };
            throw StatusException.forbidden(
                    ResourceType.RESOURCE_SLICES,
                    name(slice),
                    "can only " + done + " ResourceSlice with the same NodeName as the requesting node");
        }
    }

    private static void checkNode(String node, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        ObjectNode object = now.or(() -> old).orElseThrow();
        if (!name(object).equals(node)) {
            throw StatusException.forbidden(
                    ResourceType.NODES,
                    name(object),
                    "node \"" + node + "\" is not allowed to modify node \"" + name(object) + "\"");
        }
        if (now.isPresent()) {
            Set<String> refused = changedLabels(old, now.get());
            refused.removeIf(NodeRestriction::mayChange);
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
}
