package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lists collections, page by page. */
final class Lister {

    private Lister() {}

    /**
     * The objects of a collection.
     *
     * @param objects what is kept of each, by UID
     * @param version the version from which a watch goes on
     * @param <T> what is kept of an object
     */
    record Listed<T>(Map<String, T> objects, String version) {}

    /** Lists all pages. */
    static <T> Listed<T> list(Transport transport, RateLimiter limiter, Collection<T> collection) throws ApiException {
        var objects = new LinkedHashMap<String, T>();
        String continuation = "";
        while (true) {
            Answer.Done answer = transport.call(collection.list(continuation), limiter);
            try {
                JsonNode page = Json.tree(answer.body());
                JsonNode metadata = page.path("metadata");
                for (JsonNode object : page.path("items")) {
                    objects.put(
                            Json.required(object.path("metadata"), "uid"),
                            collection.decoder().decode(object));
                }
                continuation = metadata.path("continue").asText("");
                if (continuation.isEmpty()) {
                    return new Listed<>(objects, Json.required(metadata, "resourceVersion"));
                }
            } catch (IOException e) {
                throw new ApiException(ApiFailures.unreadable(answer.call(), answer.server(), e), e);
            }
        }
    }
}
