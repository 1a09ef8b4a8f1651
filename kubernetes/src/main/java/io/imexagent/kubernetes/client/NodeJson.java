package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Nodes.NodeObject;
import io.imexagent.kubernetes.Permissions.Rule;
import io.imexagent.kubernetes.Permissions.Verdict;
import io.imexagent.kubernetes.Pods.PodObject;
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an agent reads and asks one at a time, as JSON: claims, pods, its node, and what it may do. */
final class NodeJson {

    private static final String ANNOTATIONS = "metadata.annotations";

    private static final WantedFields CLAIM = WantedFields.ofObject("status!")
            .longest(Claims.LARGEST_STATUS, "status")
            .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION);

    /** Labels of a node are the cluster's own, and may be hundreds. */
    private static final int LARGEST_NODE = 1 << 20;

    private static final int LONGEST_REASON = 16 << 10;

    /** What the Node authorizer says of an object that nothing ties to the node; {@code node_authorizer.go}. */
    private static final String NO_RELATIONSHIP = "no relationship found between node";

    private NodeJson() {}

    /** Reads the claim of this name. Its status is kept as the server wrote it, number forms and order of keys included. */
    static Decoder<ClaimObject> claim(ClaimName name) {
        return new Decoder<>(
                CLAIM,
                claim -> new ClaimObject(
                        name,
                        claim.required("metadata.uid"),
                        claim.deleting(),
                        annotations(claim.text(ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION)),
                        claim.raw("status").map(NodeJson::status).orElseGet(() -> new ClaimStatusText.Whole("{}"))));
    }

    private static Map<String, String> annotations(String domain) {
        return domain.isEmpty() ? Map.of() : Map.of(DriverNames.DOMAIN_ANNOTATION, domain);
    }

    private static ClaimStatusText status(JsonScanner.Raw raw) {
        return raw.text()
                .<ClaimStatusText>map(ClaimStatusText.Whole::new)
                .orElseGet(() -> new ClaimStatusText.TooLarge(raw.bytes()));
    }

    /** A node. Addresses that are names, such as {@code Hostname}, are left out. */
    static final Decoder<NodeObject> NODE = new Decoder<>(
            WantedFields.ofObject("metadata.labels.*", "status.addresses[].type", "status.addresses[].address")
                    .room(LARGEST_NODE),
            node -> new NodeObject(
                    node.required("metadata.name"),
                    node.required("metadata.uid"),
                    node.map("metadata.labels"),
                    node.each("status.addresses").stream()
                            .filter(address -> address.text("type").endsWith("IP"))
                            .map(address -> address.text("address"))
                            .toList()));

    /** Whether a node is ready. */
    static final Decoder<Readiness> READINESS = new Decoder<>(
            WantedFields.of("metadata.name", "status.conditions[].type", "status.conditions[].status"),
            node -> new Readiness(
                    node.required("metadata.name"),
                    node.each("status.conditions").stream()
                            .anyMatch(condition -> condition.text("type").equals("Ready")
                                    && condition.text("status").equals("True"))),
            1 << 10);

    /**
     * Whether a node is ready.
     *
     * @param name the node's name
     * @param ready whether its kubelet said so, and lately
     */
    record Readiness(String name, boolean ready) {}

    /** A merge patch that sets a label, or removes it where the value is empty. */
    static ObjectNode label(String key, Optional<String> value) {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("metadata").putObject("labels").put(key, value.orElse(null));
        return patch;
    }

    /** A pod. */
    static final Decoder<PodObject> POD = new Decoder<>(
            WantedFields.ofObject(
                    "spec.hostNetwork",
                    "spec.resourceClaims[].name",
                    "spec.resourceClaims[].resourceClaimName",
                    "spec.containers[].resources.claims[].name",
                    "spec.initContainers[].resources.claims[].name",
                    "status.resourceClaimStatuses[].name",
                    "status.resourceClaimStatuses[].resourceClaimName"),
            NodeJson::pod);

    /** The claims of a pod have names of their own in it; its status tells what a template led to. */
    private static PodObject pod(Fields pod) throws UnreadableException {
        var objects = new HashMap<String, String>();
        for (String claims : List.of("spec.resourceClaims", "status.resourceClaimStatuses")) {
            pod.each(claims).forEach(claim -> objects.put(claim.text("name"), claim.text("resourceClaimName")));
        }
        var users = new HashMap<String, Integer>();
        for (String kind : List.of("spec.containers", "spec.initContainers")) {
            pod.each(kind).stream()
                    .flatMap(container -> container.each("resources.claims").stream())
                    .forEach(use -> users.merge(objects.getOrDefault(use.text("name"), ""), 1, Integer::sum));
        }
        return new PodObject(pod.required("metadata.uid"), pod.isTrue("spec.hostNetwork"), users);
    }

    /** The question of a SelfSubjectAccessReview. */
    static ObjectNode review(Rule rule) {
        ObjectNode review = JsonTrees.object();
        review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SelfSubjectAccessReview");
        ObjectNode asked = review.putObject("spec").putObject("resourceAttributes");
        asked.put("verb", rule.verb()).put("group", rule.group()).put("resource", rule.resource());
        rule.namespace().ifPresent(space -> asked.put("namespace", space));
        rule.name().ifPresent(name -> asked.put("name", name));
        rule.ofNode()
                .ifPresent(node -> asked.putObject("fieldSelector")
                        .putArray("requirements")
                        .addObject()
                        .put("key", "spec.nodeName")
                        .put("operator", "In")
                        .putArray("values")
                        .add(node));
        return review;
    }

    /** The answer to a SelfSubjectAccessReview. */
    static final Decoder<Verdict> VERDICT = new Decoder<>(
            WantedFields.of("status.allowed", "status.reason").longest(LONGEST_REASON, "status.reason"),
            NodeJson::verdict);

    private static Verdict verdict(Fields review) throws UnreadableException {
        if (!review.isFlag("status.allowed")) {
            throw new UnreadableException("no status.allowed");
        }
        if (review.isTrue("status.allowed")) {
            return new Verdict.Allowed();
        }
        String reason = review.text("status.reason");
        return reason.contains(NO_RELATIONSHIP) ? new Verdict.AllowedOfOwnNode() : new Verdict.Denied(reason);
    }
}
