package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Finds the ComputeDomain of a claim: by the name that the claim notes, where that object has the claim's domainID as UID,
 * or else among those of the claim's namespace, and of no other. Blocking.
 */
final class DomainLookup {

    private static final Duration FRESH = Duration.ofMinutes(1);
    private static final int MOST_KNOWN = 256;

    private final ComputeDomains domains;
    private final LongSupplier nanoTime;

    /** Those that were found last, by UID; guarded by itself. */
    private final Map<ComputeDomainUid, Known> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ComputeDomainUid, Known> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    private record Known(DomainRef domain, long at) {}

    DomainLookup(ComputeDomains domains, LongSupplier nanoTime) {
        this.domains = domains;
        this.nanoTime = nanoTime;
    }

    /**
     * The ComputeDomain of this UID in the namespace; empty where it has none. What was found a moment ago will not do for a
     * channel that is one ComputeDomain's own: that is read {@code live}.
     */
    Optional<DomainRef> find(ComputeDomainUid uid, String namespace, Map<String, String> annotations, boolean live)
            throws ApiException {
        Optional<DomainRef> cached = live ? Optional.empty() : cached(uid, namespace);
        if (cached.isPresent()) {
            return cached;
        }
        Optional<DomainRef> named = named(uid, namespace, annotations);
        Optional<DomainRef> found = named.isPresent() ? named : domains.in(namespace, uid);
        found.ifPresent(this::remember);
        return found;
    }

    private Optional<DomainRef> named(ComputeDomainUid uid, String namespace, Map<String, String> annotations)
            throws ApiException {
        Optional<ClaimName> name = Optional.ofNullable(annotations.get(DriverNames.DOMAIN_ANNOTATION))
                .flatMap(noted -> ClaimName.parse(namespace, noted));
        return name.isPresent()
                ? domains.named(namespace, name.get().name())
                        .filter(domain -> domain.uid().equals(uid))
                : Optional.empty();
    }

    private Optional<DomainRef> cached(ComputeDomainUid uid, String namespace) {
        synchronized (known) {
            return Optional.ofNullable(known.get(uid))
                    .filter(found -> nanoTime.getAsLong() - found.at() < FRESH.toNanos())
                    .map(Known::domain)
                    .filter(domain -> domain.namespace().equals(namespace));
        }
    }

    private void remember(DomainRef domain) {
        synchronized (known) {
            known.remove(domain.uid());
            known.put(domain.uid(), new Known(domain, nanoTime.getAsLong()));
        }
    }
}
