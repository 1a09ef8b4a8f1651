package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** ComputeDomains of the API server. */
final class HttpComputeDomains implements ComputeDomains {

    /**
     * Lists for those who do not know the name, in each namespace: a tenant can make its namespace large, and ask for what is
     * not there again and again, and then pays with its own wait.
     */
    private static final double LISTS_PER_SECOND = 1;

    private static final int LISTS_AT_ONCE = 1;
    private static final int LISTS_AT_FIRST = 5;

    /** More namespaces than a node has pods. */
    private static final int NAMESPACES = 1_024;

    private static final Decoder<DomainRef> DOMAIN = new Decoder<>(
            WantedFields.of("metadata.deletionTimestamp").identified(),
            domain -> new DomainRef(
                    new ComputeDomainUid(domain.ref().uid()),
                    domain.ref().namespace(),
                    domain.ref().name(),
                    domain.deleting()));

    private final Resource<DomainRef> domains;

    /** By namespace; guarded by itself. */
    private final Map<String, Resource<DomainRef>> lists = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Resource<DomainRef>> eldest) {
            return size() > NAMESPACES;
        }
    };

    HttpComputeDomains(Transport transport, RateLimiter calls) {
        this.domains = new Resource<>(transport, calls, Resource.COMPUTE_DOMAINS, "ComputeDomain", DOMAIN);
    }

    @Override
    public Optional<DomainRef> named(String namespace, String name) throws ApiException {
        return domains.get(namespace, name);
    }

    @Override
    public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException {
        Resource<DomainRef> paced;
        synchronized (lists) {
            paced = lists.computeIfAbsent(
                    namespace,
                    none -> domains.under(RateLimiter.paced(LISTS_AT_ONCE, LISTS_PER_SECOND, LISTS_AT_FIRST)));
        }
        return paced.in(namespace).find(uid.value());
    }
}
