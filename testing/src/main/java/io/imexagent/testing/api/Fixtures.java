package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.util.Locale;
import java.util.Map;

/** The objects of {@code fixtures.yaml}. Each call makes a new tree, which the caller may change. */
public final class Fixtures {
    /** The driver that publishes the channels. */
    public static final String DRIVER = "compute-domain.nvidia.com";

    private static final JsonNode TEMPLATES = Json.resource(Fixtures.class, "fixtures.yaml");

    private Fixtures() {}

    /** A Node that is ready. */
    public static ObjectNode node(String name, String uid) {
        return filled("Node", Map.of("name", name, "uid", uid));
    }

    /** A ComputeDomain with the finalizer of its controller, ready. */
    public static ObjectNode computeDomain(String namespace, String name, String uid, String claimTemplate) {
        return filled(
                "ComputeDomain", Map.of("namespace", namespace, "name", name, "uid", uid, "template", claimTemplate));
    }

    /** The claim template that the controller makes for a ComputeDomain. */
    public static ObjectNode claimTemplate(String namespace, String name, String computeDomainUid) {
        return filled(
                "ResourceClaimTemplate", Map.of("namespace", namespace, "name", name, "domain", computeDomainUid));
    }

    /** A claim for channel 0 as the scheduler leaves it: allocated on the node and reserved for the pod. */
    public static ObjectNode allocatedClaim(
            String namespace, String name, String uid, String node, String computeDomainUid, ObjectNode pod) {
        String podName = pod.at("/metadata/name").asText();
        String podUid = pod.at("/metadata/uid").asText();
        ObjectNode claim = unallocatedClaim(namespace, name, uid, computeDomainUid);
        claim.set(
                "status",
                filled(
                        "allocated",
                        Map.of("node", node, "domain", computeDomainUid, "pod", podName, "podUid", podUid)));
        return claim;
    }

    /** The same claim before the scheduler saw it. */
    public static ObjectNode unallocatedClaim(String namespace, String name, String uid, String computeDomainUid) {
        return filled(
                "ResourceClaim", Map.of("namespace", namespace, "name", name, "uid", uid, "domain", computeDomainUid));
    }

    /** A Pod that is bound to the node and uses the claim. */
    public static ObjectNode pod(String namespace, String name, String uid, String node, String claimName) {
        return filled(
                "Pod", Map.of("namespace", namespace, "name", name, "uid", uid, "node", node, "claim", claimName));
    }

    /** A slice with channel 0 of a node, to create: it has a generateName and no name. */
    public static ObjectNode resourceSlice(String node, String nodeUid) {
        return filled("ResourceSlice", Map.of("node", node, "nodeUid", nodeUid));
    }

    /** The device class that claims for channel 0 ask for. */
    public static ObjectNode deviceClass() {
        return filled("DeviceClass", Map.of());
    }

    /** A UID made from a number, the same each time. */
    public static String uid(int number) {
        return String.format(Locale.ROOT, "00000000-0000-4000-8000-%012d", number);
    }

    /** The template with the values in their places; a text that names a template alone becomes it. */
    private static ObjectNode filled(String template, Map<String, String> values) {
        String text = TEMPLATES.path(template).toString();
        for (Map.Entry<String, JsonNode> part : TEMPLATES.properties()) {
            text = text.replace("\"<" + part.getKey() + ">\"", part.getValue().toString());
        }
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("<" + value.getKey() + ">", value.getValue());
        }
        return Json.literal(text);
    }
}
