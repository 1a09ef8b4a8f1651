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
record HttpAnswer(int code, String contentType, Buffer body, Map<String, String> headers) {
    static final String JSON = "application/json";

    static HttpAnswer json(int code, Buffer json) {
        return new HttpAnswer(code, JSON, json, Map.of());
    }

    static HttpAnswer json(int code, JsonNode json) {
        return json(code, Buffer.buffer(Json.bytes(json)));
    }

    static HttpAnswer text(int code, String text) {
        return new HttpAnswer(code, "text/plain; charset=utf-8", Buffer.buffer(text), Map.of());
    }

    static HttpAnswer of(StatusException refusal) {
        Map<String, String> headers = new HashMap<>();
        refusal.retryAfterSeconds().ifPresent(seconds -> headers.put("Retry-After", Integer.toString(seconds)));
        return new HttpAnswer(refusal.code(), JSON, json(0, refusal.status()).body, headers);
    }

    /** The same answer with a warning about the first of the fields that were dropped. */
    HttpAnswer warning(List<String> unknownFields) {
        return unknownFields.isEmpty()
                ? this
                : new HttpAnswer(
                        code,
                        contentType,
                        body,
                        Map.of("Warning", "299 - \"unknown field \\\"" + unknownFields.getFirst() + "\\\"\""));
    }

    /** A list; items of built-in types go without kind and apiVersion, as the real server sends them. */
    static HttpAnswer list(ResourceType type, long revision, List<StoredObject> objects) {
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
