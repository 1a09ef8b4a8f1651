package io.imexagent.agent.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Reviews;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An API server that knows tokens {@code <user>'s}, and lets those get everything whom a test lets. */
final class FakeReviews implements Reviews {

    private final Set<String> allowed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean away;
    private volatile CountDownLatch held = new CountDownLatch(0);

    /** Lets a user, or a group, get everything, or no longer. */
    void allow(String subject, boolean now) {
        if (now) {
            allowed.add(subject);
        } else {
            allowed.remove(subject);
        }
    }

    void away(boolean now) {
        away = now;
    }

    /** Answers nobody until the latch opens. */
    CountDownLatch hold() {
        held = new CountDownLatch(1);
        return held;
    }

    /** How many questions have come. */
    int asked() {
        return asked.get();
    }

    @Override
    public Optional<User> owner(String token) throws ApiException {
        answer();
        return token.endsWith("'s")
                ? Optional.of(new User(token.substring(0, token.length() - 2), "", List.of(), Map.of()))
                : Optional.empty();
    }

    @Override
    public boolean mayGet(User user, String path) throws ApiException {
        answer();
        return allowed.contains(user.name()) || user.groups().stream().anyMatch(allowed::contains);
    }

    @Override
    public ReviewResult may(AccessRule rule) {
        throw new AssertionError("pages ask nothing about this client");
    }

    private void answer() throws ApiException {
        asked.incrementAndGet();
        try {
            held.await();
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        if (away) {
            throw new ApiException(
                    new ApiFailure(ApiFailure.FailureKind.UNREACHABLE, "away as the test wants", Optional.empty()));
        }
    }
}
