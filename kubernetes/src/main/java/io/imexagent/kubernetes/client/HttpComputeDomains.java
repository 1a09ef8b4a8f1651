package io.imexagent.kubernetes.client;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.control.DomainObject;
import java.util.Optional;

/** ComputeDomains: a reflector over all namespaces, and live lists that need not wait for the watch's pace. */
final class HttpComputeDomains implements ComputeDomains {

    private static final Decoder<DomainRef> DOMAIN = ControlJson.DOMAIN.map(HttpComputeDomains::ref);

    private final Resource domains;
    private final Reflector<DomainRef> reflector;

    /** Begins to watch. */
    HttpComputeDomains(Transport transport, RateLimiter live, RateLimiter background) {
        this.domains = new Resource(transport, live, "ComputeDomain", Resource.COMPUTE_DOMAINS, "computedomains");
        this.reflector = transport.reflector(background, domains.everywhere(DOMAIN));
        reflector.start(news -> {});
    }

    @Override
    public Optional<DomainRef> cached(ComputeDomainUid uid) {
        return reflector.get(uid.value());
    }

    @Override
    public Optional<DomainRef> live(ComputeDomainUid uid, String namespace) throws ApiException {
        Optional<DomainRef> near = domains.find(uid.value(), domains.in(namespace, DOMAIN));
        return near.isPresent() ? near : domains.find(uid.value(), domains.everywhere(DOMAIN));
    }

    @Override
    public Optional<DomainRef> confirm(DomainRef seen) throws ApiException {
        return domains.get(seen.namespace(), seen.name(), DOMAIN)
                .filter(now -> now.uid().equals(seen.uid()));
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return reflector.failure();
    }

    private static DomainRef ref(DomainObject domain) {
        return new DomainRef(
                domain.uid(),
                domain.ref().namespace(),
                domain.ref().name(),
                // The controller gives away any but channel 0, and mends what is another number.
                domain.channel().filter(channel -> channel.number() > 0),
                domain.deleting());
    }
}
