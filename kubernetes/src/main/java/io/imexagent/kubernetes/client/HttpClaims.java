package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import java.io.IOException;
import java.util.Optional;

/** ResourceClaims, one GET each. */
final class HttpClaims implements Claims {

    private final Transport transport;
    private final RateLimiter limiter;

    HttpClaims(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    @Override
    public Optional<ClaimObject> get(ClaimName name) throws ApiException {
        // Both names are DNS names by their type, and need no encoding.
        Call call = Call.of(
                Call.Verb.GET,
                new Call.Target("resource.k8s.io", "resourceclaims", "ResourceClaim " + name, name.name()),
                "/apis/resource.k8s.io/v1/namespaces/" + name.namespace() + "/resourceclaims/" + name.name());
        Optional<Answer.Done> answer = transport.find(call, limiter);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ClaimDecoder.decode(name, answer.get().body()));
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.get().server(), e), e);
        }
    }
}
