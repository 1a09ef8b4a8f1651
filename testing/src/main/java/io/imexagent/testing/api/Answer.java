package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A whole answer. */
final class Answer {
    static final String JSON = "application/json";

    private final int code;
    private final String contentType;
    private final byte[] body;
    private final Map<String, String> headers;

    private Answer(int code, String contentType, byte[] body, Map<String, String> headers) {
        this.code = code;
        this.contentType = contentType;
        this.body = body;
        this.headers = headers;
    }

    /** The HTTP status code. */
    int code() {
        return code;
    }

    String contentType() {
        return contentType;
    }

    byte[] body() {
        return body;
    }

    /** The headers besides type and length of the body. */
    Map<String, String> headers() {
        return headers;
    }

    static Answer created(byte[] json) {
        return new Answer(201, JSON, json, Map.of());
    }

    static Answer ok(byte[] json) {
        return new Answer(200, JSON, json, Map.of());
    }

    static Answer ok(JsonNode json) {
        return ok(Json.bytes(json));
    }

    static Answer text(int code, String text) {
        return new Answer(code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    static Answer of(StatusException refusal) {
        Map<String, String> headers = new HashMap<>();
        refusal.retryAfterSeconds().ifPresent(seconds -> headers.put("Retry-After", Integer.toString(seconds)));
        return new Answer(refusal.code(), JSON, Json.bytes(refusal.status()), headers);
    }

    /** The same answer with warnings about fields that were dropped. */
    Answer warning(List<String> unknownFields) {
        if (unknownFields.isEmpty()) {
            return this;
        }
        Map<String, String> more = new HashMap<>(headers);
        more.put("Warning", "299 - \"unknown field \\\"" + unknownFields.getFirst() + "\\\"\"");
        return new Answer(code, contentType, body, more);
    }

    /** A list; items of built-in types go without kind and apiVersion, as the real server sends them. */
    static Answer list(ResourceType type, ObjectStore.Listing listing) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        out.writeBytes(ascii("{\"kind\":\"" + type.kind() + "List\",\"apiVersion\":\"" + type.apiVersion()
                + "\",\"metadata\":{\"resourceVersion\":\"" + listing.revision() + "\"},\"items\":["));
        int skipped = type.custom() ? 0 : typeMetaLength(type);
        for (StoredObject object : listing.objects()) {
            if (!object.equals(listing.objects().getFirst())) {
                out.write(',');
            }
            if (skipped > 0) {
                out.write('{');
            }
            out.write(object.bytes(), skipped, object.bytes().length - skipped);
        }
        out.writeBytes(ascii("]}"));
        return ok(out.toByteArray());
    }

    /** How many bytes of every stored object are its brace, apiVersion and kind, which always come first. */
    private static int typeMetaLength(ResourceType type) {
        return ("{\"apiVersion\":\"" + type.apiVersion() + "\",\"kind\":\"" + type.kind() + "\",").length();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
