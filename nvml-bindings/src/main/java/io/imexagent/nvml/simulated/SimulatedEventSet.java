package io.imexagent.nvml.simulated;

import io.imexagent.nvml.EventType;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEvent;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** An event set of a {@link SimulatedSession}, to which no event comes. */
class SimulatedEventSet implements NvmlEventSet {
    private final SimulatedSession session;
    private boolean closed;

    SimulatedEventSet(SimulatedSession session) {
        this.session = session;
    }

    @Override
    public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
        open().enter(NvmlCall.DEVICE_HANDLE, deviceIndex);
        open().enter(NvmlCall.REGISTER_EVENTS, deviceIndex);
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
        return next(System.nanoTime() + timeout.toNanos());
    }

    /** Waits until this time of {@link System#nanoTime} as the driver does, which no interrupt disturbs. */
    Optional<NvmlEvent> next(long deadline) {
        boolean interrupted = false;
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    @Override
    public void close() throws NvmlException {
        if (!closed && !session.isClosed()) {
            closed = true;
            session.nvml().enter(NvmlCall.EVENT_SET_FREE);
        }
    }

    private SimulatedNvml open() {
        if (closed) {
            throw new IllegalStateException("the NVML event set is closed");
        }
        return session.nvml();
    }
}
