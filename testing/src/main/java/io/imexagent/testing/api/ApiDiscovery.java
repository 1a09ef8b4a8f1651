package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The documents that say what the server serves. */
final class ApiDiscovery {
    private static final String DRA = "resource.k8s.io";
    private static final List<String> GROUPS = List.of(DRA, "resource.nvidia.com", "coordination.k8s.io");
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private final Map<String, byte[]> documents = new HashMap<>();

    /**
     * Documents of a server.
     *
     * @param older whether it is one of Kubernetes 1.33, which serves resource.k8s.io only as v1beta2 and v1beta1
     */
    ApiDiscovery(boolean older) {
        put("/version", version(older));
        put("/api", coreVersions());
        put("/api/v1", resources("v1", ResourceType.ofGroup("")));
        ObjectNode groups = Json.object();
        groups.put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode list = groups.putArray("groups");
        for (String group : GROUPS) {
            List<ResourceType> types = ResourceType.ofGroup(group);
            List<String> versions = older && group.equals(DRA)
                    ? List.of("v1beta2", "v1beta1")
                    : List.of(types.getFirst().version());
            ObjectNode entry = group(group, versions);
            list.add(entry.deepCopy());
            put("/apis/" + group, entry.put("kind", "APIGroup").put("apiVersion", "v1"));
            versions.forEach(v -> put("/apis/" + group + "/" + v, resources(group + "/" + v, types)));
        }
        put("/apis", groups);
    }

    /** The document at a path. */
    Optional<byte[]> at(String path) {
        String normal = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return Optional.ofNullable(documents.get(normal));
    }

    private void put(String path, ObjectNode document) {
        documents.put(path, Json.bytes(document));
    }

    private static ObjectNode version(boolean older) {
        String minor = older ? "33" : "36";
        return Json.object()
                .put("major", "1")
                .put("minor", minor)
                .put("gitVersion", "v1." + minor + ".0")
                .put("platform", "linux/amd64");
    }

    private static ObjectNode coreVersions() {
        ObjectNode document = Json.object().put("kind", "APIVersions");
        document.putArray("versions").add("v1");
        document.putArray("serverAddressByClientCIDRs");
        return document;
    }

    private static ObjectNode group(String name, List<String> versions) {
        ObjectNode group = Json.object().put("name", name);
        ArrayNode list = group.putArray("versions");
        versions.forEach(version ->
                list.addObject().put("groupVersion", name + "/" + version).put("version", version));
        group.set("preferredVersion", list.get(0).deepCopy());
        return group;
    }

    private static ObjectNode resources(String groupVersion, List<ResourceType> types) {
        ObjectNode document = Json.object()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", groupVersion);
        ArrayNode list = document.putArray("resources");
        for (ResourceType type : types) {
            describe(list.addObject(), type, type.plural(), VERBS);
            if (type.hasStatusSubresource()) {
                describe(list.addObject(), type, type.plural() + "/status", List.of("get", "patch", "update"));
            }
        }
        return document;
    }

    private static void describe(ObjectNode entry, ResourceType type, String name, List<String> verbs) {
        entry.put("name", name)
                .put("singularName", name.equals(type.plural()) ? singular(type) : "")
                .put("namespaced", type.namespaced())
                .put("kind", type.kind());
        ArrayNode list = entry.putArray("verbs");
        verbs.forEach(list::add);
    }

    private static String singular(ResourceType type) {
        return type.kind().toLowerCase(Locale.ROOT);
    }
}
