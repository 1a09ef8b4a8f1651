package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Nodes.NodeObject;
import io.imexagent.kubernetes.Pods.PodObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an agent reads one at a time: claims, pods, and its node. */
final class NodeJson {

    private static final String ANNOTATIONS = "metadata.annotations";
    private static final String DOMAIN = ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION;

    private static final WantedFields CLAIM = WantedFields.ofObject("status!")
            .longest(Claims.LARGEST_STATUS, "status")
            .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION);

    /** Labels of a node are the cluster's own, and may be hundreds. */
    private static final int LARGEST_NODE = 1 << 20;

    private NodeJson() {}

    /** Reads the claim of this name. Its status is kept as the server wrote it, number forms and order of keys included. */
    static Decoder<ClaimObject> claim(ClaimName name) {
        return new Decoder<>(
                CLAIM,
                claim -> new ClaimObject(
                        name,
                        claim.required("metadata.uid"),
                        claim.deleting(),
                        claim.given(DOMAIN)
                                .map(domain -> Map.of(DriverNames.DOMAIN_ANNOTATION, domain))
                                .orElse(Map.of()),
                        claim.raw("status").map(NodeJson::status).orElseGet(() -> new ClaimStatusText.Whole("{}"))));
    }

    private static ClaimStatusText status(JsonScanner.Raw raw) {
        return raw.text()
                .<ClaimStatusText>map(ClaimStatusText.Whole::new)
                .orElseGet(() -> new ClaimStatusText.TooLarge(raw.bytes()));
    }

    /** A node. Addresses that are names, such as {@code Hostname}, are left out. */
    static final Decoder<NodeObject> NODE = new Decoder<>(
            WantedFields.ofObject("metadata.labels.*", "status.addresses[].type,address")
                    .room(LARGEST_NODE),
            node -> new NodeObject(
                    node.required("metadata.name"),
                    node.required("metadata.uid"),
                    node.map("metadata.labels"),
                    node.each("status.addresses").stream()
                            .filter(address -> address.text("type").endsWith("IP"))
                            .map(address -> address.text("address"))
                            .toList()));

    /** A node's name, and whether its kubelet said lately that it is ready. */
    static final Decoder<Map.Entry<String, Boolean>> READINESS = new Decoder<>(
            WantedFields.of("metadata.name", "status.conditions[].type,status"),
            node -> Map.entry(
                    node.required("metadata.name"),
                    node.each("status.conditions").stream()
                            .anyMatch(condition -> condition.text("type").equals("Ready")
                                    && condition.text("status").equals("True"))),
            1 << 10);

    static final Decoder<PodObject> POD = new Decoder<>(
            WantedFields.ofObject(
                    "spec.hostNetwork",
                    "spec.resourceClaims[].name,resourceClaimName",
                    "spec.containers[].resources.claims[].name",
                    "spec.initContainers[].resources.claims[].name",
                    "status.resourceClaimStatuses[].name,resourceClaimName"),
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
}
