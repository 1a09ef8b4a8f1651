package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Node objects. */
final class HttpNodes implements Nodes {

    private final Transport transport;
    private final RateLimiter limiter;

    HttpNodes(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    @Override
    public Optional<NodeObject> get(String name) throws ApiException {
        Call call = Call.of(Call.Verb.GET, target(name), path(name));
        Optional<Answer.Done> answer = transport.find(call, limiter);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        try {
            JsonNode node = Json.tree(answer.get().body());
            JsonNode metadata = node.path("metadata");
            Map<String, String> labels = new LinkedHashMap<>();
            metadata.path("labels")
                    .properties()
                    .forEach(
                            label -> labels.put(label.getKey(), label.getValue().asText()));
            return Optional.of(new NodeObject(
                    Json.required(metadata, "name"), Json.required(metadata, "uid"), labels, addresses(node)));
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.get().server(), e), e);
        }
    }

    /** Addresses that are names, such as {@code Hostname}, are left out. */
    private static List<String> addresses(JsonNode node) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : node.path("status").path("addresses")) {
            if (address.path("type").asText().endsWith("IP")) {
                addresses.add(address.path("address").asText());
            }
        }
        return addresses;
    }

    @Override
    public void label(String name, String key, Optional<String> value) throws ApiException {
        ObjectNode patch = Json.object();
        ObjectNode labels = patch.putObject("metadata").putObject("labels");
        value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.putNull(key));
        transport.call(
                Call.of(
                        Call.Verb.PATCH,
                        target(name),
                        path(name),
                        new Call.Body("application/merge-patch+json", Json.text(patch))),
                limiter);
    }

    private static Call.Target target(String name) {
        return new Call.Target("", "nodes", "Node " + name, name);
    }

    private static String path(String name) {
        return "/api/v1/nodes/" + Collection.encoded(name);
    }
}
