package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds out which version the server is, and whether it serves {@code resource.k8s.io/v1}. */
final class Discovery {

    private static final String GROUP = "resource.k8s.io";
    private static final String NEEDED = ": imex-agent needs Kubernetes 1.34 or later";

    private final Transport transport;
    private final RateLimiter limiter;

    Discovery(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    /** The server's version. */
    String verify() throws ApiException {
        String version = serverVersion();
        List<String> served = servedVersions(version);
        if (!served.contains("v1")) {
            throw unsupported(
                    "this cluster serves " + GROUP + " " + String.join(", ", served) + " but not v1" + NEEDED, version);
        }
        return version;
    }

    private String serverVersion() throws ApiException {
        Answer.Done answer = get("/version", "version", "the server's version");
        try {
            return Json.required(Json.tree(answer.body()), "gitVersion");
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(answer.call(), answer.server(), e), e);
        }
    }

    private List<String> servedVersions(String serverVersion) throws ApiException {
        Answer.Done answer;
        try {
            answer = get("/apis/" + GROUP, "apis", "API group " + GROUP);
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.Kind.NOT_FOUND) {
                throw unsupported(
                        "this cluster does not serve " + GROUP + NEEDED
                                + ", with the feature DynamicResourceAllocation on",
                        serverVersion);
            }
            throw e;
        }
        try {
            var versions = new ArrayList<String>();
            for (JsonNode version : Json.tree(answer.body()).path("versions")) {
                versions.add(Json.required(version, "version"));
            }
            return versions;
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(answer.call(), answer.server(), e), e);
        }
    }

    private Answer.Done get(String path, String label, String what) throws ApiException {
        return transport.call(Call.of(Call.Verb.GET, new Call.Target("", label, what, ""), path), limiter);
    }

    private static ApiException unsupported(String what, String serverVersion) {
        return new ApiException(new ApiFailure(
                ApiFailure.Kind.UNSUPPORTED, what + " (server: " + serverVersion + ")", Optional.empty()));
    }
}
