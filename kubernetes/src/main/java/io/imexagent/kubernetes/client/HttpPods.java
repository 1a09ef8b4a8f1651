package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Pods;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Pods. */
final class HttpPods implements Pods {

    static final Decoder<PodObject> POD = new Decoder<>(
            WantedFields.ofObject(
                    "spec.hostNetwork",
                    "spec.resourceClaims[].name",
                    "spec.resourceClaims[].resourceClaimName",
                    "spec.containers[].resources.claims[].name",
                    "spec.initContainers[].resources.claims[].name",
                    "status.resourceClaimStatuses[].name",
                    "status.resourceClaimStatuses[].resourceClaimName"),
            HttpPods::pod);

    private final Resource pods;

    HttpPods(Transport transport, RateLimiter limiter) {
        this.pods = new Resource(transport, limiter, "Pod", Resource.CORE, "pods");
    }

    @Override
    public Optional<PodObject> get(String namespace, String name) throws ApiException {
        return pods.get(namespace, name, POD);
    }

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
