package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import java.util.Optional;

/** ComputeDomains of the API server. */
final class HttpComputeDomains implements ComputeDomains {

    /** Lists for those who do not know the name: a tenant can make its namespace large, and then pays with its own wait. */
    private static final double LISTS_PER_SECOND = 1;

    private static final int LISTS_AT_ONCE = 2;
    private static final int LISTS_AT_FIRST = 5;

    private static final Decoder<DomainRef> DOMAIN = new Decoder<>(
            WantedFields.of("metadata.deletionTimestamp").identified(),
            domain -> new DomainRef(
                    new ComputeDomainUid(domain.ref().uid()),
                    domain.ref().namespace(),
                    domain.ref().name(),
                    domain.deleting()));

    private final Resource domains;
    private final Resource lists;

    HttpComputeDomains(Transport transport, RateLimiter calls) {
        this.domains = resource(transport, calls);
        this.lists = resource(transport, RateLimiter.paced(LISTS_AT_ONCE, LISTS_PER_SECOND, LISTS_AT_FIRST));
    }

    private static Resource resource(Transport transport, RateLimiter limiter) {
        return new Resource(transport, limiter, "ComputeDomain", Resource.COMPUTE_DOMAINS, "computedomains");
    }

    @Override
    public Optional<DomainRef> named(String namespace, String name) throws ApiException {
        return domains.get(namespace, name, DOMAIN);
    }

    @Override
    public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException {
        return lists.find(uid.value(), lists.in(namespace, DOMAIN));
    }
}
