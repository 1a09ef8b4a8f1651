package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** ComputeDomains in memory. */
public final class FakeDomains implements ComputeDomains {

    private final Map<ComputeDomainUid, DomainRef> served = new ConcurrentHashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private volatile Optional<ApiFailure> failure = Optional.empty();

    /** A ComputeDomain {@code domain}. */
    public void serve(String uid, String namespace) {
        serve(uid, namespace, "domain", false);
    }

    /** A ComputeDomain. */
    public void serve(String uid, String namespace, String name, boolean deleting) {
        var ref = new ComputeDomainUid(uid);
        served.put(ref, new DomainRef(ref, namespace, name, deleting));
    }

    /** Takes a ComputeDomain away. */
    public void remove(String uid) {
        served.remove(new ComputeDomainUid(uid));
    }

    /** Lets calls fail so; empty lets them succeed again. */
    public void fail(Optional<ApiFailure> why) {
        failure = why;
    }

    /** How many reads by name there were. */
    public int reads() {
        return reads.get();
    }

    /** How many lists of a namespace there were. */
    public int lists() {
        return lists.get();
    }

    @Override
    public Optional<DomainRef> named(String namespace, String name) throws ApiException {
        reads.incrementAndGet();
        return find(namespace, domain -> domain.name().equals(name));
    }

    @Override
    public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException {
        lists.incrementAndGet();
        return find(namespace, domain -> domain.uid().equals(uid));
    }

    private Optional<DomainRef> find(String namespace, Predicate<DomainRef> wanted) throws ApiException {
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        return served.values().stream()
                .filter(domain -> domain.namespace().equals(namespace))
                .filter(wanted)
                .findFirst();
    }
}
