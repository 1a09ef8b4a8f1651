package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A whole answer, with the headers besides type and length of the body. */
record Answer(int code, String contentType, Buffer body, Map<String, String> headers) {
    static final String JSON = "application/json";

    static Answer json(int code, Buffer json) {
        return new Answer(code, JSON, json, Map.of());
    }

    static Answer json(int code, JsonNode json) {
        return json(code, Buffer.buffer(Json.bytes(json)));
    }

    static Answer text(int code, String text) {
        return new Answer(code, "text/plain; charset=utf-8", Buffer.buffer(text), Map.of());
    }

    static Answer of(StatusException refusal) {
        Map<String, String> headers = new HashMap<>();
        refusal.retryAfterSeconds().ifPresent(seconds -> headers.put("Retry-After", Integer.toString(seconds)));
        return new Answer(refusal.code(), JSON, json(0, refusal.status()).body, headers);
    }

    /** The same answer with a warning about the first of the fields that were dropped. */
    Answer warning(List<String> unknownFields) {
        return unknownFields.isEmpty()
                ? this
                : new Answer(
                        code,
                        contentType,
                        body,
                        Map.of("Warning", "299 - \"unknown field \\\"" + unknownFields.getFirst() + "\\\"\""));
    }

    /** A list; items of built-in types go without kind and apiVersion, as the real server sends them. */
    static Answer list(ResourceType type, long revision, List<StoredObject> objects) {
        Buffer out = Buffer.buffer("{\"kind\":\"" + type.kind() + "List\",\"apiVersion\":\"" + type.apiVersion()
                + "\",\"metadata\":{\"resourceVersion\":\"" + revision + "\"},\"items\":[");
        // Of every stored object the brace, apiVersion and kind come first.
        int typeMeta = ("{\"apiVersion\":\"" + type.apiVersion() + "\",\"kind\":\"" + type.kind() + "\",").length();
        int skipped = type.custom() ? 0 : typeMeta;
        String separator = "";
        for (StoredObject object : objects) {
            out.appendString(separator).appendString(skipped > 0 ? "{" : "");
            out.appendBuffer(object.bytes(), skipped, object.bytes().length() - skipped);
            separator = ",";
        }
        return json(200, out.appendString("]}"));
    }
}
