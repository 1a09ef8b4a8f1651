package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Pods;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Pods. */
final class HttpPods implements Pods {

    private final Transport transport;
    private final RateLimiter limiter;

    HttpPods(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    @Override
    public Optional<PodObject> get(String namespace, String name) throws ApiException {
        Call call = Call.of(
                Call.Verb.GET,
                new Call.Target("", "pods", "Pod " + namespace + "/" + name, name),
                "/api/v1/namespaces/" + Collection.encoded(namespace) + "/pods/" + Collection.encoded(name));
        Optional<Answer.Done> answer = transport.find(call, limiter);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        try {
            JsonNode pod = Json.tree(answer.get().body());
            return Optional.of(new PodObject(
                    Json.required(pod.path("metadata"), "uid"),
                    pod.path("spec").path("hostNetwork").asBoolean(false),
                    users(pod)));
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.get().server(), e), e);
        }
    }

    /** The claims of a pod have names of their own in it; its status tells what a template led to. */
    private static Map<String, Integer> users(JsonNode pod) {
        var objects = new HashMap<String, String>();
        for (JsonNode claim : pod.path("spec").path("resourceClaims")) {
            objects.put(
                    claim.path("name").asText(), claim.path("resourceClaimName").asText());
        }
        for (JsonNode claim : pod.path("status").path("resourceClaimStatuses")) {
            objects.put(
                    claim.path("name").asText(), claim.path("resourceClaimName").asText());
        }
        var users = new HashMap<String, Integer>();
        for (String kind : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(kind)) {
                for (JsonNode use : container.path("resources").path("claims")) {
                    String object = objects.getOrDefault(use.path("name").asText(), "");
                    users.merge(object, 1, Integer::sum);
                }
            }
        }
        return users;
    }
}
