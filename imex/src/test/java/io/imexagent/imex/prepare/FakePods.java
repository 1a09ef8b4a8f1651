package io.imexagent.imex.prepare;

import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Pods;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Pods in memory, with failures and delays on demand. */
final class FakePods implements Pods {

    /** A host whose channels are closed, and whose agent is not the kubelet. */
    static final UserNamespaces UNREAD = new UserNamespaces(
            (namespace, name) -> {
                throw new AssertionError("the pod is nothing to this identity");
            },
            () -> false,
            new ChannelNodes(Path.of("/"), path -> {
                throw new NoSuchFileException(path.toString());
            }),
            () -> 0);

    private final Map<String, PodObject> pods = new ConcurrentHashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile Optional<ApiFailure> failure = Optional.empty();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    void put(String name, String uid, boolean hostUsers) {
        pods.put(name, new PodObject(uid, false, hostUsers, Map.of()));
    }

    void fail(ApiFailure why) {
        failure = Optional.of(why);
    }

    /** Lets reads wait from now on; the latch lets them go. */
    CountDownLatch hold() {
        gate = new CountDownLatch(1);
        return gate;
    }

    /** How many reads are under way. */
    int underWay() {
        return underWay.get();
    }

    int reads() {
        return reads.get();
    }

    @Override
    public Optional<PodObject> get(String namespace, String name) throws ApiException {
        reads.incrementAndGet();
        underWay.incrementAndGet();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(new ApiFailure(ApiFailure.FailureKind.TIMEOUT, "broken off", Optional.empty()), e);
        } finally {
            underWay.decrementAndGet();
        }
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        return Optional.ofNullable(pods.get(name));
    }
}
