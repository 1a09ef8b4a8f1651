package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a kubelet may do (the Node authorizer with selector authorization, Kubernetes 1.34 and later). The answer is
 * empty where it may, else the reason why not, which may be an empty text.
 */
public final class NodeRules {
    /** The objects whose relations to nodes count. */
    public interface Objects {
        /** An object as it is now. */
        Optional<JsonNode> tree(ObjectKey key);

        /** All pods. */
        Stream<JsonNode> pods();
    }

    private static final JsonNode RULES = Json.resource(NodeRules.class, "node-rules.yaml");

    private final Objects objects;

    NodeRules(Objects objects) {
        this.objects = objects;
    }

    Optional<String> objection(String node, ResourceRequest request) {
        if (request.type() == ResourceType.LEASES && !request.namespace().equals("kube-node-lease")) {
            return Optional.of("can only access leases in the \"kube-node-lease\" system namespace");
        }
        TextNode verb = TextNode.valueOf(request.verb().text());
        Optional<JsonNode> rule = RULES.path(request.type().plural())
                .valueStream()
                .filter(one -> one.path("verbs").valueStream().anyMatch(verb::equals))
                .findFirst();
        return rule.filter(one -> allows(one.path("allowed").asText(), node, request))
                        .isPresent()
                ? Optional.empty()
                : Optional.of(rule.map(one -> one.path("else").asText())
                        .orElse("")
                        .replace("$node", node)
                        .replace("$name", request.name()));
    }

    private boolean allows(String relation, String node, ResourceRequest request) {
        ObjectKey key = new ObjectKey(request.type(), request.namespace(), request.name());
        return switch (relation) {
            case "always" -> true;
            case "own" -> request.name().equals(node);
            case "onNode" ->
                objects.tree(key).filter(object -> nodeOf(object).equals(node)).isPresent();
            case "used" -> used(key, node);
            default -> request.fields().demanded(relation).filter(node::equals).isPresent();
        };
    }

    /** Whether a pod on the node uses the claim. */
    private boolean used(ObjectKey claim, String node) {
        Optional<JsonNode> reserved =
                objects.tree(claim).map(object -> object.path("status").path("reservedFor"));
        return objects.pods()
                .filter(pod -> pod.at("/metadata/namespace").asText().equals(claim.namespace()))
                .filter(pod -> nodeOf(pod).equals(node))
                .anyMatch(pod -> reserved.filter(list -> reserves(list, pod)).isPresent() || names(pod, claim.name()));
    }

    private static String nodeOf(JsonNode object) {
        return object.path("spec").path("nodeName").asText("");
    }

    private static boolean reserves(JsonNode reservations, JsonNode pod) {
        String uid = pod.at("/metadata/uid").asText();
        return reservations
                .valueStream()
                .anyMatch(entry -> entry.path("resource").asText().equals("pods")
                        && entry.path("uid").asText().equals(uid));
    }

    private static boolean names(JsonNode pod, String claim) {
        return Stream.of(pod.at("/spec/resourceClaims"), pod.at("/status/resourceClaimStatuses"))
                .flatMap(JsonNode::valueStream)
                .anyMatch(entry -> entry.path("resourceClaimName").asText().equals(claim));
    }
}
