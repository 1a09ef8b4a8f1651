package io.imexagent.e2e.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What the roles and bindings among manifests allow, rule by rule, as the server would read them. */
public final class BoundRules {

    /** Groups of which nothing is stored: who may create reviews is granted by their plurals. */
    private static final Set<String> REVIEWS = Set.of("authentication.k8s.io", "authorization.k8s.io");

    private final List<JsonNode> objects;

    /** The rules of YAML documents. */
    public BoundRules(String yaml) throws IOException {
        this.objects = new ObjectMapper(new YAMLFactory())
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml)
                .readAll();
    }

    /** What is bound to a user, but for reviews. */
    public List<RoleGrant> of(String user) {
        return bound(user)
                .flatMap(binding -> rules(role(binding), user, namespace(binding)).stream())
                .toList();
    }

    /** The reviews that a user may create, by their plurals. */
    public List<String> reviews(String user) {
        return bound(user)
                .flatMap(binding -> role(binding).path("rules").valueStream())
                .filter(rule -> REVIEWS.contains(rule.at("/apiGroups/0").asText()))
                .flatMap(rule -> rule.path("resources").valueStream())
                .map(JsonNode::asText)
                .toList();
    }

    /** What a ClusterRole that is bound to nobody would allow a user in the whole cluster. */
    List<RoleGrant> ofClusterRole(String name, String user) {
        return rules(role("ClusterRole", name, ""), user, Optional.empty());
    }

    private Stream<JsonNode> bound(String user) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().endsWith("RoleBinding"))
                .filter(binding -> binding.path("subjects")
                        .valueStream()
                        .anyMatch(subject -> subject.path("kind").asText().equals("User")
                                && subject.path("name").asText().equals(user)));
    }

    private static Optional<String> namespace(JsonNode binding) {
        return Optional.of(binding.at("/metadata/namespace").asText("")).filter(name -> !name.isEmpty());
    }

    private JsonNode role(JsonNode binding) {
        String kind = binding.at("/roleRef/kind").asText();
        return role(
                kind,
                binding.at("/roleRef/name").asText(),
                kind.equals("Role") ? namespace(binding).orElseThrow() : "");
    }

    private JsonNode role(String kind, String name, String namespace) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .filter(object -> object.at("/metadata/name").asText().equals(name))
                .filter(object -> object.at("/metadata/namespace").asText("").equals(namespace))
                .findFirst()
                .orElseThrow(() -> new AssertionError("a binding names no " + kind + " of ours: " + name));
    }

    private static List<RoleGrant> rules(JsonNode role, String user, Optional<String> namespace) {
        List<RoleGrant> grants = new ArrayList<>();
        for (JsonNode rule : role.path("rules")) {
            Set<RequestVerb> verbs = new HashSet<>();
            rule.path("verbs")
                    .forEach(verb -> verbs.add(RequestVerb.valueOf(verb.asText().toUpperCase(Locale.ROOT))));
            for (JsonNode group : rule.path("apiGroups")) {
                if (REVIEWS.contains(group.asText())) {
                    continue;
                }
                for (JsonNode resource : rule.path("resources")) {
                    grants.add(grant(user, group.asText(), resource.asText(), namespace, verbs));
                }
            }
        }
        return grants;
    }

    private static RoleGrant grant(
            String user, String group, String resource, Optional<String> namespace, Set<RequestVerb> verbs) {
        String[] parts = resource.split("/", 2);
        ResourceType type = ResourceType.ofGroup(group).stream()
                .filter(one -> one.plural().equals(parts[0]))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no resource of the double: " + resource + " of " + group));
        return new RoleGrant(user, type, parts.length == 2 ? parts[1] : "", namespace, verbs);
    }
}
