package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimStatus;

/**
 * The status of a ResourceClaim as JSON ({@code resource.k8s.io/v1 ResourceClaimStatus}): as the API server answers it,
 * and as the checkpoint holds it.
 *
 * <p>Reading skips fields that it does not know, since the API grows. Opaque parameters, and the data that drivers
 * report, stay as their author wrote them: key order, number forms and escapes; white space between tokens goes, and
 * {@code <}, {@code >}, {@code &}, U+2028 and U+2029 are escaped. Writing is byte for byte that of Go's
 * {@code encoding/json} with the Kubernetes types.
 */
public final class ClaimStatusJson {

    private ClaimStatusJson() {}

    /**
     * The status in a text of one JSON object.
     *
     * @throws MalformedJsonException where it is broken, has a wrong type, or a source of configuration that nobody
     *     knows; the message names the field, {@code status.allocation.devices.config[0].source: …}
     */
    public static ClaimStatus read(String json) throws MalformedJsonException {
        return read(json.getBytes(UTF_8));
    }

    /** As {@link #read(String)}, of UTF-8 bytes. */
    public static ClaimStatus read(byte[] json) throws MalformedJsonException {
        return ClaimStatusReader.status(JsonValue.read(json, "status"));
    }

    /** The status as one JSON object, compact. */
    public static String write(ClaimStatus status) {
        var json = new GoJson();
        ClaimStatusWriter.write(json, status);
        return json.toString();
    }
}
