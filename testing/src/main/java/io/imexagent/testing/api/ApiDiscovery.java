package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The documents that say what the server serves. */
final class ApiDiscovery {
    private static final String DRA = "resource.k8s.io";

    private final Map<String, JsonNode> documents = new HashMap<>();

    /** The documents of Kubernetes 1.36, or of 1.33, which serves resource.k8s.io only as v1beta2 and v1beta1. */
    ApiDiscovery(boolean older) {
        put("/version", """
                {"major":"1","minor":"%1$s","gitVersion":"v1.%1$s.0","platform":"linux/amd64"}""".formatted(older ? "33" : "36"));
        put("/api", """
                {"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}""");
        putResources("/api/v1", "v1", ResourceType.ofGroup(""));
        put(
                "/apis",
                Stream.of(DRA, "resource.nvidia.com", "coordination.k8s.io")
                        .map(group -> "{" + putGroup(group, older) + "}")
                        .collect(Collectors.joining(
                                ",", "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[", "]}")));
    }

    Optional<JsonNode> at(String path) {
        String normal = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return Optional.ofNullable(documents.get(normal));
    }

    /** Puts the documents of a group there, and says what they and the list of groups have in common. */
    private String putGroup(String group, boolean older) {
        List<ResourceType> types = ResourceType.ofGroup(group);
        List<String> versions = older && group.equals(DRA)
                ? List.of("v1beta2", "v1beta1")
                : List.of(types.getFirst().version());
        List<String> entries = versions.stream()
                .map(version -> "{\"groupVersion\":\"" + group + "/" + version + "\",\"version\":\"" + version + "\"}")
                .toList();
        String described =
                "\"name\":\"" + group + "\",\"versions\":" + entries + ",\"preferredVersion\":" + entries.getFirst();
        put("/apis/" + group, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," + described + "}");
        versions.forEach(version -> putResources("/apis/" + group + "/" + version, group + "/" + version, types));
        return described;
    }

    private void putResources(String path, String groupVersion, List<ResourceType> types) {
        String list = types.stream()
                .map(type -> resource(type) + (type.hasStatusSubresource() ? "," + status(type) : ""))
                .collect(Collectors.joining(","));
        put(path, """
                {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s","resources":[%s]}""".formatted(groupVersion, list));
    }

    private static String resource(ResourceType type) {
        return """
                {"name":"%s","singularName":"%s","namespaced":%s,"kind":"%s",
                 "verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}""".formatted(type.plural(), type.kind().toLowerCase(Locale.ROOT), type.namespaced(), type.kind());
    }

    private static String status(ResourceType type) {
        return """
                {"name":"%s/status","singularName":"","namespaced":%s,"kind":"%s","verbs":["get","patch","update"]}""".formatted(type.plural(), type.namespaced(), type.kind());
    }

    private void put(String path, String json) {
        documents.put(path, Json.literal(json));
    }
}
