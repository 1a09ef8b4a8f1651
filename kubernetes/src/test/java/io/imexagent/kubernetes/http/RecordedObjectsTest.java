package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.StubServer.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Captured objects as their own server sent them: alone, and as the one item of a list. */
class RecordedObjectsTest extends RecordedObjectsContract {

    private final StubServer server;

    RecordedObjectsTest() throws IOException {
        server = StubServer.plain();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    void serve(JsonNode recorded) {
        String apiVersion = recorded.path("apiVersion").asText();
        ResourceType type =
                ResourceType.ofKind(apiVersion, recorded.path("kind").asText()).orElseThrow();
        String scope = type.namespaced() ? "/namespaces/default/" : "/";
        String path = "/apis/" + apiVersion + scope + type.plural();
        server.on(
                "GET " + path + "/missing",
                404,
                StubServer.status(404, "NotFound", "not found", "\"name\":\"missing\""));
        server.on("GET " + path + "/" + recorded.at("/metadata/name").asText(), 200, recorded.toString());
        ObjectNode item = recorded.deepCopy();
        if (!type.custom()) {
            item.remove(List.of("kind", "apiVersion"));
        }
        server.on(
                "GET " + path,
                (request, client) -> json(
                        200,
                        "{\"kind\":\"" + type.kind() + "List\",\"apiVersion\":\"" + apiVersion
                                + "\",\"metadata\":{\"resourceVersion\":\"530\"},\"items\":[" + item + "]}"));
    }

    @Override
    String url() {
        return "http://127.0.0.1:" + server.port();
    }
}
