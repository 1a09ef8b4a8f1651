package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A client of the double with one bearer token. */
final class Client implements AutoCloseable {
    static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    static final String TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";
    static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    static final String DOMAINS = "/apis/resource.nvidia.com/v1beta1/namespaces/default/computedomains";
    static final String NODES = "/api/v1/nodes";
    static final String PODS = "/api/v1/namespaces/default/pods";

    /** An answer whose body is JSON. */
    record Reply(int code, HttpResponse<String> raw) {
        ObjectNode body() {
            return Json.literal(raw.body());
        }

        String at(String pointer) {
            return body().at(pointer).asText("");
        }

        String header(String name) {
            return raw.headers().firstValue(name).orElse("");
        }
    }

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final Optional<String> token;

    private Client(String url, Optional<String> token) {
        this.url = url;
        this.token = token;
    }

    static Client admin(ApiDouble api) {
        return withToken(api, "admin");
    }

    static Client node(ApiDouble api, String node) {
        return withToken(api, "node:" + node);
    }

    static Client withToken(ApiDouble api, String token) {
        return new Client(api.url(), Optional.of(token));
    }

    static Client anonymous(ApiDouble api) {
        return new Client(api.url(), Optional.empty());
    }

    Reply get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    Reply create(String path, JsonNode body) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").POST(publisher(body)));
    }

    Reply update(String path, JsonNode body) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").PUT(publisher(body)));
    }

    Reply patch(String path, String mediaType, String body) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", mediaType).method("PATCH", BodyPublishers.ofString(body)));
    }

    Reply merge(String path, String body) throws IOException, InterruptedException {
        return patch(path, "application/merge-patch+json", body);
    }

    Reply delete(String path) throws IOException, InterruptedException {
        return send(request(path).DELETE());
    }

    Reply delete(String path, String options) throws IOException, InterruptedException {
        return send(request(path).method("DELETE", BodyPublishers.ofString(options)));
    }

    Lines watch(String pathAndQuery) throws IOException, InterruptedException {
        return Lines.open(http, request(pathAndQuery).GET().build());
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(60));
        token.ifPresent(text -> builder.header("Authorization", "Bearer " + text));
        return builder;
    }

    HttpClient http() {
        return http;
    }

    Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Reply(response.statusCode(), response);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private static HttpRequest.BodyPublisher publisher(JsonNode body) {
        return BodyPublishers.ofByteArray(Json.bytes(body));
    }
}
