package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import java.util.List;
import java.util.Optional;

/** Finds out which version the server is, and whether it serves {@code resource.k8s.io/v1}. */
final class Discovery {

    private static final String GROUP = "resource.k8s.io";
    private static final String NEEDED = ": imex-agent needs Kubernetes 1.34 or later";

    private static final Decoder<String> VERSION =
            new Decoder<>(WantedFields.of("gitVersion"), answer -> answer.required("gitVersion"));

    private static final Decoder<List<String>> SERVED = new Decoder<>(
            WantedFields.of("versions[].version"),
            answer -> answer.each("versions").stream()
                    .map(version -> version.text("version"))
                    .toList());

    private final Transport transport;
    private final RateLimiter limiter;

    Discovery(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    /** The server's version. */
    String verify() throws ApiException {
        String version = get("/version", "version", "the server's version", VERSION);
        List<String> served;
        try {
            served = get("/apis/" + GROUP, "apis", "API group " + GROUP, SERVED);
        } catch (ApiException e) {
            if (e.failure().kind() != ApiFailure.Kind.NOT_FOUND) {
                throw e;
            }
            throw unsupported(
                    "does not serve " + GROUP + NEEDED + ", with the feature DynamicResourceAllocation on", version);
        }
        if (!served.contains("v1")) {
            throw unsupported("serves " + GROUP + " " + String.join(", ", served) + " but not v1" + NEEDED, version);
        }
        return version;
    }

    private <T> T get(String path, String label, String what, Decoder<T> decoder) throws ApiException {
        return transport.call(Call.of(Call.Verb.GET, new Call.Target("", label, what, ""), path), limiter, decoder);
    }

    private static ApiException unsupported(String what, String serverVersion) {
        return new ApiException(new ApiFailure(
                ApiFailure.Kind.UNSUPPORTED,
                "this cluster " + what + " (server: " + serverVersion + ")",
                Optional.empty()));
    }
}
