package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import java.util.Optional;

/** ResourceClaims, one GET each. A status is kept as the server wrote it, number forms and order of keys included. */
final class HttpClaims implements Claims {

    private static final WantedFields WANTED = WantedFields.ofObject("status!");
    private static final String NO_STATUS = "{}";

    private final Resource claims;

    HttpClaims(Transport transport, RateLimiter limiter) {
        this.claims = new Resource(transport, limiter, "ResourceClaim", Resource.DRA, "resourceclaims");
    }

    @Override
    public Optional<ClaimObject> get(ClaimName name) throws ApiException {
        return claims.get(name.namespace(), name.name(), decoder(name));
    }

    /** Reads the claim of this name. */
    static Decoder<ClaimObject> decoder(ClaimName name) {
        return new Decoder<>(
                WANTED,
                claim -> new ClaimObject(
                        name,
                        claim.required("metadata.uid"),
                        claim.deleting(),
                        claim.has("status") ? claim.text("status") : NO_STATUS));
    }
}
