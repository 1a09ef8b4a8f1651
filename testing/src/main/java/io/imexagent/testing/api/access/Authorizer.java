package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides whether a request may be made: masters may all, others what is granted, and kubelets also what their node needs
 * (the Node authorizer with selector authorization, Kubernetes 1.34 and later).
 */
public final class Authorizer {
    private static final JsonNode NODE_RULES = Json.resource(Authorizer.class, "node-rules.yaml");

    private final List<RoleGrant> grants;
    private final Function<ObjectKey, Optional<JsonNode>> objects;
    private final Supplier<Stream<JsonNode>> pods;
    /** Who may do what to things of which nothing is stored, by verb and path or plural. */
    private final Map<String, Set<String>> subjects = new ConcurrentHashMap<>();

    /** An authorizer with the role of agents bound to nodes; objects and all pods are those at the time of a request. */
    public Authorizer(Function<ObjectKey, Optional<JsonNode>> objects, Supplier<Stream<JsonNode>> pods) {
        this.grants = new CopyOnWriteArrayList<>(List.of(
                ofAgents(ResourceType.COMPUTE_DOMAINS, RequestVerb.GET, RequestVerb.LIST),
                ofAgents(
                        ResourceType.NVLINK_NODES,
                        RequestVerb.GET,
                        RequestVerb.LIST,
                        RequestVerb.WATCH,
                        RequestVerb.CREATE,
                        RequestVerb.UPDATE),
                ofAgents(ResourceType.NVLINK_CLIQUES, RequestVerb.GET, RequestVerb.UPDATE)));
        this.objects = objects;
        this.pods = pods;
    }

    private static RoleGrant ofAgents(ResourceType type, RequestVerb... verbs) {
        return new RoleGrant(UserIdentity.NODES, type, "", Optional.empty(), Set.of(verbs));
    }

    public void grant(RoleGrant grant) {
        grants.add(grant);
    }

    /** Whether reviews of a kind, by its plural, may be created; every kubelet may. */
    public boolean mayReview(UserIdentity identity, String plural) {
        return identity.nodeName().isPresent() || may(identity, "create " + plural);
    }

    /** Whether a path that is no resource may be got. */
    public boolean mayGet(UserIdentity identity, String path) {
        return may(identity, "get " + path);
    }

    /** Lets a user or group do what nothing is stored of: a verb, and behind a blank the path or plural. */
    public void allow(String subject, String what) {
        subjects.computeIfAbsent(what, none -> ConcurrentHashMap.newKeySet()).add(subject);
    }

    private boolean may(UserIdentity identity, String what) {
        return identity.master()
                || subjects.getOrDefault(what, Set.of()).stream().anyMatch(identity::is);
    }

    /** Whether the entries of a driver may be changed; {@code verb} as rules name it, {@code associated-node:patch}. */
    boolean mayReport(UserIdentity identity, String verb, String driver) {
        return may(identity, verb + " resourceclaims/driver " + driver);
    }

    /** Whether allocations may be changed. */
    boolean mayBind(UserIdentity identity, RequestVerb verb) {
        return may(identity, verb.text() + " resourceclaims/binding");
    }

    /** Takes every role for that resource from the user or group. */
    public void revoke(String subject, ResourceType type) {
        grants.removeIf(grant -> grant.subject().equals(subject) && grant.type() == type);
    }

    /** Returns where the request may be made; else it is a refusal with 403. */
    public void check(UserIdentity identity, ResourceRequest request) {
        Optional<String> objection = objection(identity, request);
        if (objection.isPresent()) {
            String why = request.refusalText(identity.user());
            String reason = objection.get().isEmpty() ? "" : ": " + objection.get();
            throw StatusException.forbidden(request.type(), request.name(), why + reason);
        }
    }

    /** Why the request may not be made, which may be an empty text; empty where it may. */
    public Optional<String> objection(UserIdentity identity, ResourceRequest request) {
        if (identity.master() || grants.stream().anyMatch(grant -> grant.allows(identity, request))) {
            return Optional.empty();
        }
        return identity.nodeName().isPresent()
                ? nodeObjection(identity.nodeName().get(), request)
                : Optional.of("");
    }

    private Optional<String> nodeObjection(String node, ResourceRequest request) {
        if (request.type() == ResourceType.LEASES && !request.namespace().equals("kube-node-lease")) {
            return Optional.of("can only access leases in the \"kube-node-lease\" system namespace");
        }
        TextNode verb = TextNode.valueOf(request.verb().text());
        Optional<JsonNode> rule = NODE_RULES
                .path(request.type().plural())
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
                objects.apply(key).filter(object -> nodeOf(object).equals(node)).isPresent();
            case "used" -> used(key, node);
            default -> request.fields().demanded(relation).filter(node::equals).isPresent();
        };
    }

    private boolean used(ObjectKey claim, String node) {
        Optional<JsonNode> reserved =
                objects.apply(claim).map(object -> object.path("status").path("reservedFor"));
        return pods.get()
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
