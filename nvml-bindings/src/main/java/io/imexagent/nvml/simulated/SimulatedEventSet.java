package io.imexagent.nvml.simulated;

import io.imexagent.nvml.EventType;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEvent;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An event set of a {@link SimulatedSession}. */
final class SimulatedEventSet implements NvmlEventSet {
    private final SimulatedSession session;
    private final SimulatedNvml nvml;
    private final Map<Integer, Set<EventType>> registered = new ConcurrentHashMap<>();
    private final BlockingQueue<NvmlEvent> events = new LinkedBlockingQueue<>();
    private boolean closed;

    SimulatedEventSet(SimulatedSession session) {
        this.session = session;
        this.nvml = session.nvml();
        nvml.attach(this);
    }

    /** Takes an event in, if it was registered for; called from the thread that simulates it. */
    void offer(int deviceIndex, NvmlEvent event) {
        if (registered.getOrDefault(deviceIndex, Set.of()).stream().anyMatch(event.type()::is)) {
            events.add(event);
        }
    }

    @Override
    public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
        open().enter(NvmlCall.DEVICE_HANDLE, deviceIndex);
        nvml.enter(NvmlCall.REGISTER_EVENTS, deviceIndex);
        registered.put(deviceIndex, Set.copyOf(types));
    }

    @Override
    public Optional<NvmlEvent> await(Duration timeout) throws NvmlException {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("the timeout is negative: " + timeout);
        }
        try {
            open().enter(NvmlCall.EVENT_SET_WAIT);
        } catch (CallFailed failure) {
            if (failure.result().is(NvmlReturn.TIMEOUT)) {
                return Optional.empty();
            }
            throw failure;
        }
        return Optional.ofNullable(poll(timeout));
    }

    /** Waits as the driver does, which no interrupt disturbs. */
    private @Nullable NvmlEvent poll(Duration timeout) {
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException exception) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws NvmlException {
        nvml.detach(this);
        if (closed || session.isClosed()) {
            return;
        }
        closed = true;
        nvml.enter(NvmlCall.EVENT_SET_FREE);
    }

    private SimulatedNvml open() {
        if (closed) {
            throw new IllegalStateException("the NVML event set is closed");
        }
        return session.nvml();
    }
}
