package io.imexagent.testing.api;

import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/** A fault that is in force: it counts what it met, and ends when it is used up or released. */
public final class InjectedFault {
    private final Predicate<LoggedRequest> match;
    private final FaultAction action;
    private final CountDownLatch released = new CountDownLatch(1);
    private int left;
    private int hits;

    InjectedFault(Predicate<LoggedRequest> match, FaultAction action, int times) {
        this.match = match;
        this.action = action;
        this.left = times;
    }

    /** How many requests it met so far. */
    public synchronized int hits() {
        return hits;
    }

    /** Ends the fault; requests that hang go on. */
    public void release() {
        synchronized (this) {
            left = 0;
        }
        released.countDown();
    }

    /** Does to a request that it meets what it is for; true where the connection is to be dropped. */
    boolean drops(LoggedRequest request, Optional<ResourceType> type) throws InterruptedException {
        if (!takes(request)) {
            return false;
        }
        switch (action) {
            case FaultAction.AnswerFault answer ->
                throw StatusException.injected(answer.code(), type, request.name(), answer.retryAfterSeconds());
            case FaultAction.Delay delay -> Thread.sleep(delay.time());
            case FaultAction.Hang hang -> released.await();
            case FaultAction.Drop drop -> {
                return true;
            }
        }
        return false;
    }

    private synchronized boolean takes(LoggedRequest request) {
        if (left == 0 || !match.test(request)) {
            return false;
        }
        left--;
        hits++;
        return true;
    }
}
