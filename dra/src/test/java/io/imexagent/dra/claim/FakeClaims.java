package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** ResourceClaims in memory, with failures and delays on demand. */
public final class FakeClaims implements Claims {

    /** What the Node authorizer says of a claim that no pod of the node uses. */
    public static final ApiFailure NO_RELATIONSHIP =
            failure(ApiFailure.FailureKind.NO_RELATIONSHIP, "no relationship found between node and claim");

    private final Map<ClaimName, ClaimObject> objects = new ConcurrentHashMap<>();
    private final Map<ClaimName, ApiFailure> broken = new ConcurrentHashMap<>();
    private final Queue<ApiFailure> failures = new ArrayDeque<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final Semaphore arrived = new Semaphore(0);
    private volatile Optional<CountDownLatch> gate = Optional.empty();
    private volatile Optional<RuntimeException> defect = Optional.empty();

    /** Puts a claim there. */
    public void put(ClaimRef ref, String statusJson) {
        put(ref, new Claims.ClaimStatusText.WholeStatus(statusJson));
    }

    void put(ClaimRef ref, Claims.ClaimStatusText status) {
        objects.put(ref.name(), new ClaimObject(ref.name(), ref.uid().value(), false, Map.of(), status));
    }

    /** Takes a claim away. */
    public void remove(ClaimRef ref) {
        objects.remove(ref.name());
    }

    /** Lets one further read fail so. */
    public synchronized void fail(ApiFailure failure) {
        failures.add(failure);
    }

    /** Lets every read of the claim fail so, from now on. */
    public void breakFor(ClaimRef ref, ApiFailure failure) {
        broken.put(ref.name(), failure);
    }

    /** Lets every read of the claim succeed again. */
    public void mend(ClaimRef ref) {
        broken.remove(ref.name());
    }

    /** Lets reads throw what no reader expects. */
    public void throwAlways(RuntimeException why) {
        defect = Optional.of(why);
    }

    /** Lets reads wait from now on; the latch lets them go. */
    public CountDownLatch hold() {
        var latch = new CountDownLatch(1);
        gate = Optional.of(latch);
        return latch;
    }

    /** Lets reads pass at once from now on; those that wait already go on waiting. */
    public void pass() {
        gate = Optional.empty();
    }

    /** Waits until so many more reads have begun. */
    public void awaitReads(int count) throws InterruptedException {
        if (!arrived.tryAcquire(count, 60, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody asks for the claim");
        }
    }

    /** How many reads there were. */
    public int reads() {
        return reads.get();
    }

    @Override
    public Optional<ClaimObject> get(ClaimName name) throws ApiException {
        reads.incrementAndGet();
        arrived.release();
        if (gate.isPresent()) {
            await(gate.get());
        }
        defect.ifPresent(thrown -> {
            throw thrown;
        });
        Optional<ApiFailure> failure = next().or(() -> Optional.ofNullable(broken.get(name)));
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        return Optional.ofNullable(objects.get(name));
    }

    private synchronized Optional<ApiFailure> next() {
        return Optional.ofNullable(failures.poll());
    }

    private static void await(CountDownLatch latch) throws ApiException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(failure(ApiFailure.FailureKind.TIMEOUT, "broken off"), e);
        }
    }

    /** A failure of this kind. */
    public static ApiFailure failure(ApiFailure.FailureKind kind, String message) {
        return new ApiFailure(kind, message, Optional.empty());
    }

    /** A failure after which the server wants to rest. */
    public static ApiFailure throttled(Duration rest) {
        return new ApiFailure(ApiFailure.FailureKind.THROTTLED, "the API server is busy", Optional.of(rest));
    }
}
