package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.Claims.ClaimObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads a ResourceClaim in one pass over its bytes. The status is cut out of them, so that number forms and key order
 * inside it stay as the server wrote them.
 */
final class ClaimDecoder {

    private static final JsonFactory JSON = new JsonFactory();
    private static final String NO_STATUS = "{}";

    private ClaimDecoder() {}

    /** Reads the claim of this name. */
    static ClaimObject decode(ClaimName name, byte[] body) throws IOException {
        String uid = "";
        boolean deleting = false;
        String status = NO_STATUS;
        try (JsonParser parser = JSON.createParser(body)) {
            object(parser.nextToken());
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("status") && value == JsonToken.START_OBJECT) {
                    status = slice(parser, body);
                } else if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        String key = parser.currentName();
                        JsonToken inner = parser.nextToken();
                        if (key.equals("uid") && inner == JsonToken.VALUE_STRING) {
                            uid = parser.getText();
                        } else if (key.equals("deletionTimestamp")) {
                            deleting = inner != JsonToken.VALUE_NULL;
                        }
                        parser.skipChildren();
                    }
                } else {
                    parser.skipChildren();
                }
            }
        }
        if (uid.isEmpty()) {
            throw new IOException("no metadata.uid");
        }
        return new ClaimObject(name, uid, deleting, status);
    }

    private static String slice(JsonParser parser, byte[] body) throws IOException {
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        int to = (int) parser.currentLocation().getByteOffset();
        return new String(body, from, to - from, StandardCharsets.UTF_8);
    }

    private static void object(JsonToken token) throws IOException {
        if (token != JsonToken.START_OBJECT) {
            throw new IOException("no JSON object");
        }
    }
}
