package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** ComputeDomains in memory, those that the watch has seen and those that only the server knows. */
public final class FakeDomains implements ComputeDomains {

    private final Map<ComputeDomainUid, DomainRef> seen = new ConcurrentHashMap<>();
    private final Map<ComputeDomainUid, DomainRef> served = new ConcurrentHashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private volatile Optional<ApiFailure> failure = Optional.empty();
    private volatile Optional<ApiFailure> watchFailure = Optional.empty();

    /** A domain that the watch has seen. */
    public void watch(String uid, String namespace) {
        var ref = new ComputeDomainUid(uid);
        seen.put(ref, new DomainRef(ref, namespace, "domain"));
    }

    /** A domain that the watch has seen with this channel. */
    public void watch(String uid, String namespace, int channel) {
        var ref = new ComputeDomainUid(uid);
        seen.put(ref, new DomainRef(ref, namespace, "domain", Optional.of(new ChannelId(channel))));
    }

    /** A domain that a live read finds with this channel, whatever the watch has seen. */
    public void serve(String uid, String namespace, int channel) {
        var ref = new ComputeDomainUid(uid);
        served.put(ref, new DomainRef(ref, namespace, "domain", Optional.of(new ChannelId(channel))));
    }

    /** A domain that a live read finds with this channel, and being deleted. */
    public void serveDeleting(String uid, String namespace, int channel) {
        var ref = new ComputeDomainUid(uid);
        served.put(ref, new DomainRef(ref, namespace, "domain", Optional.of(new ChannelId(channel)), true));
    }

    /** A domain that only a live read finds. */
    public void serve(String uid, String namespace) {
        var ref = new ComputeDomainUid(uid);
        served.put(ref, new DomainRef(ref, namespace, "domain"));
    }

    /** Takes a domain away. */
    public void remove(String uid) {
        seen.remove(new ComputeDomainUid(uid));
        served.remove(new ComputeDomainUid(uid));
    }

    /** Lets live reads fail so; empty lets them succeed again. */
    public void fail(Optional<ApiFailure> why) {
        failure = why;
    }

    /** Lets the watch not stand, for this reason; empty lets it stand again. */
    public void breakWatch(Optional<ApiFailure> why) {
        watchFailure = why;
    }

    /** How many of the live reads looked for a ComputeDomain whose name nobody knew. */
    public int lists() {
        return lists.get();
    }

    /** How many live reads there were. */
    public int reads() {
        return reads.get();
    }

    @Override
    public Optional<DomainRef> cached(ComputeDomainUid uid) {
        return Optional.ofNullable(seen.get(uid));
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return watchFailure;
    }

    @Override
    public Optional<DomainRef> confirm(DomainRef seen) throws ApiException {
        return read(seen.uid());
    }

    @Override
    public Optional<DomainRef> live(ComputeDomainUid uid, String namespace) throws ApiException {
        lists.incrementAndGet();
        return read(uid);
    }

    private Optional<DomainRef> read(ComputeDomainUid uid) throws ApiException {
        reads.incrementAndGet();
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        return Optional.ofNullable(served.get(uid));
    }
}
