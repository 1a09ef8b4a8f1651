package io.imexagent.testing.api;

import io.imexagent.testing.api.object.ResourceType;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A URL path that names a resource: {@code /apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>}
 * and its shorter forms.
 *
 * @param namespace empty where the path has none
 * @param name empty for a collection
 * @param subresource empty or {@code status}
 */
record ApiPath(ResourceType type, String namespace, String name, String subresource) {
    private static final Pattern SLASHES = Pattern.compile("/+");

    /** The resource that a path names; empty for discovery, for unknown resources, and for unknown subresources. */
    static Optional<ApiPath> parse(String path) {
        List<String> parts =
                SLASHES.splitAsStream(path).filter(part -> !part.isEmpty()).toList();
        if (parts.size() >= 3 && parts.get(0).equals("api")) {
            return resource("", parts.get(1), parts.subList(2, parts.size()));
        }
        if (parts.size() >= 4 && parts.get(0).equals("apis")) {
            return resource(parts.get(1), parts.get(2), parts.subList(3, parts.size()));
        }
        return Optional.empty();
    }

    private static Optional<ApiPath> resource(String group, String version, List<String> rest) {
        boolean scoped = rest.size() >= 3
                && rest.getFirst().equals("namespaces")
                && ResourceType.find(group, version, rest.get(2)).isPresent();
        String namespace = scoped ? rest.get(1) : "";
        List<String> own = scoped ? rest.subList(2, rest.size()) : rest;
        String subresource = own.size() == 3 ? own.get(2) : "";
        return ResourceType.find(group, version, own.getFirst())
                .filter(type -> own.size() <= 3 && (!scoped || type.namespaced()))
                .filter(type -> subresource.isEmpty() || (subresource.equals("status") && type.hasStatusSubresource()))
                .map(type -> new ApiPath(type, namespace, own.size() > 1 ? own.get(1) : "", subresource));
    }

    /** The resource as rules name it: {@code resourceclaims} or {@code resourceclaims/status}. */
    String resource() {
        return subresource.isEmpty() ? type.plural() : type.plural() + "/" + subresource;
    }
}
