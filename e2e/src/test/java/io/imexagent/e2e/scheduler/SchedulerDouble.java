package io.imexagent.e2e.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.object.ResourceType;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * kube-scheduler and the controller of resource claims, as far as this project's objects need them, one pass at a time:
 * makes the claims of pods from their templates, allocates them on the first node that has all that a pod asks for,
 * reserves them for the pod and binds it. As with kube-scheduler 1.36 a selector that breaks on a device of one node keeps
 * the pod from every node, and other pods from none. It knows nothing of resources, affinity and priorities, of requests with
 * alternatives, nor of tolerations.
 */
public final class SchedulerDouble {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ApiDouble api;

    /** A scheduler of the cluster of this API server. */
    public SchedulerDouble(ApiDouble api) {
        this.api = api;
    }

    /** Looks at every pod that has no node once; returns why pods stay pending, by namespace and name. */
    public Map<String, String> pass() {
        Map<String, String> pending = new TreeMap<>();
        for (ObjectNode pod : api.list(ResourceType.PODS)) {
            if (!pod.at("/spec/nodeName").asText("").isEmpty()) {
                continue;
            }
            makeClaims(pod);
            schedule(current(pod)).ifPresent(why -> pending.put(namespace(pod) + "/" + name(pod), why));
        }
        return pending;
    }

    /** Takes away a pod that has ended, and the claims that were made for it. */
    public void end(String namespace, String podName) {
        ObjectNode pod = api.get(ResourceType.PODS, namespace, podName)
                .orElseThrow(() -> new IllegalArgumentException("no pod " + podName));
        api.remove(ResourceType.PODS, namespace, podName);
        for (String claim : claims(pod)) {
            api.remove(ResourceType.RESOURCE_CLAIMS, namespace, claim);
        }
    }

    /** The names of the claims that the pod uses. */
    public static List<String> claims(JsonNode pod) {
        return pod.at("/status/resourceClaimStatuses")
                .valueStream()
                .map(entry -> entry.path("resourceClaimName").asText())
                .toList();
    }

    private ObjectNode current(JsonNode pod) {
        return api.get(ResourceType.PODS, namespace(pod), name(pod)).orElseThrow();
    }

    private void makeClaims(ObjectNode pod) {
        Set<String> made = pod.at("/status/resourceClaimStatuses")
                .valueStream()
                .map(entry -> entry.path("name").asText())
                .collect(Collectors.toSet());
        for (JsonNode reference : pod.at("/spec/resourceClaims")) {
            String template = reference.path("resourceClaimTemplateName").asText();
            Optional<ObjectNode> found = api.get(ResourceType.RESOURCE_CLAIM_TEMPLATES, namespace(pod), template);
            if (!made.contains(reference.path("name").asText()) && found.isPresent()) {
                makeClaim(pod, reference.path("name").asText(), found.get());
            }
        }
    }

    private void makeClaim(ObjectNode pod, String reference, JsonNode template) {
        String uid = UUID.randomUUID().toString();
        String name = name(pod) + "-" + reference + "-" + uid.substring(0, 5);
        ObjectNode claim =
                JSON.objectNode().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
        if (template.at("/spec/metadata") instanceof ObjectNode given) {
            claim.set("metadata", given.deepCopy());
        }
        ObjectNode metadata = claim.withObject("/metadata");
        metadata.put("namespace", namespace(pod)).put("name", name).put("uid", uid);
        metadata.withObject("/annotations").put("resource.kubernetes.io/pod-claim-name", reference);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", name(pod))
                .put("uid", uid(pod))
                .put("controller", true);
        claim.set("spec", template.at("/spec/spec").deepCopy());
        claim.putObject("status");
        api.apply(claim);
        api.edit(
                ResourceType.PODS,
                namespace(pod),
                name(pod),
                edited -> edited.withObject("/status")
                        .withArrayProperty("resourceClaimStatuses")
                        .addObject()
                        .put("name", reference)
                        .put("resourceClaimName", name));
    }

    /** Why the pod stays pending; empty where it is bound now. */
    private Optional<String> schedule(ObjectNode pod) {
        int wanted = pod.at("/spec/resourceClaims").size();
        if (claims(pod).size() < wanted) {
            return Optional.of("waiting for the resource claims to be created");
        }
        Map<String, Map<String, ObjectNode>> fitting = new LinkedHashMap<>();
        String why = "there is no node";
        for (ObjectNode node : api.list(ResourceType.NODES)) {
            try {
                fitting.put(name(node), allocations(pod, name(node)));
            } catch (BrokenSelectorException e) {
                return Optional.of("running \"DynamicResources\" filter plugin: " + name(node) + ": " + e.getMessage());
            } catch (UnsatisfiableException e) {
                why = "0/1 nodes are available: " + name(node) + ": " + e.getMessage();
            }
        }
        if (fitting.isEmpty()) {
            return Optional.of(why);
        }
        var first = fitting.entrySet().iterator().next();
        bind(pod, first.getKey(), first.getValue());
        return Optional.empty();
    }

    /** What a node would give to the pod's claims that have nothing yet, by claim. */
    private Map<String, ObjectNode> allocations(ObjectNode pod, String node) throws UnsatisfiableException {
        var allocator =
                new Allocator(classes(), PublishedDevice.of(node, api.list(ResourceType.RESOURCE_SLICES)), held());
        Map<String, ObjectNode> allocations = new TreeMap<>();
        for (String claim : claims(pod)) {
            ObjectNode object =
                    api.get(ResourceType.RESOURCE_CLAIMS, namespace(pod), claim).orElseThrow();
            if (object.at("/status/allocation").isMissingNode()) {
                allocations.put(claim, allocator.allocate(node, object.path("spec")));
            }
        }
        return allocations;
    }

    private void bind(ObjectNode pod, String node, Map<String, ObjectNode> allocations) {
        allocations.forEach((claim, allocation) ->
                api.edit(ResourceType.RESOURCE_CLAIMS, namespace(pod), claim, object -> {
                    ObjectNode status = object.withObject("/status");
                    status.set("allocation", allocation);
                    status.putArray("reservedFor")
                            .addObject()
                            .put("resource", "pods")
                            .put("name", name(pod))
                            .put("uid", uid(pod));
                }));
        api.edit(
                ResourceType.PODS,
                namespace(pod),
                name(pod),
                bound -> bound.withObject("/spec").put("nodeName", node));
    }

    private Map<String, ObjectNode> classes() {
        return api.list(ResourceType.DEVICE_CLASSES).stream()
                .collect(Collectors.toMap(SchedulerDouble::name, deviceClass -> deviceClass));
    }

    private Set<String> held() {
        Set<String> held = new HashSet<>();
        for (ObjectNode claim : api.list(ResourceType.RESOURCE_CLAIMS)) {
            for (JsonNode result : claim.at("/status/allocation/devices/results")) {
                held.add(result.path("driver").asText() + "/"
                        + result.path("pool").asText() + "/"
                        + result.path("device").asText());
            }
        }
        return held;
    }

    private static String namespace(JsonNode object) {
        return object.at("/metadata/namespace").asText();
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    private static String uid(JsonNode object) {
        return object.at("/metadata/uid").asText();
    }
}
