package io.imexagent.testing.api;

import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The faults in force. */
final class Faults {
    private final List<InjectedFault> injected = new CopyOnWriteArrayList<>();

    InjectedFault inject(FaultMatch match, FaultAction action, int times) {
        InjectedFault fault = new InjectedFault(match, action, times);
        injected.add(fault);
        return fault;
    }

    void clear() {
        injected.forEach(InjectedFault::release);
        injected.clear();
    }

    /**
     * Lets the faults that match have their way, in the order in which they were injected; true where the connection is to
     * be dropped.
     */
    boolean drop(LoggedRequest request, Optional<ResourceType> type) throws InterruptedException {
        for (InjectedFault fault : injected) {
            if (fault.takes(request)) {
                switch (fault.action()) {
                    case FaultAction.Answer answer ->
                        throw StatusException.injected(answer.code(), type, request.name(), answer.retryAfterSeconds());
                    case FaultAction.Delay delay -> Thread.sleep(delay.time());
                    case FaultAction.Hang hang -> fault.awaitRelease();
                    case FaultAction.Drop drop -> {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
