package io.imexagent.nvml.simulated;

import io.imexagent.nvml.EventType;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEvent;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * NVML over a {@link SimulatedTray}, which may be exchanged while sessions are open.
 *
 * <p>Unlike its sessions, this object may be used by any thread.
 */
public final class SimulatedNvml implements Nvml {
    private final AtomicReference<SimulatedTray> tray;
    private final List<SimulatedEventSet> eventSets = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition trayChanged = lock.newCondition();

    /**
     * @param tray what to simulate at first
     */
    public SimulatedNvml(SimulatedTray tray) {
        this.tray = new AtomicReference<>(tray);
    }

    /** Returns what is simulated at present. */
    public SimulatedTray tray() {
        return tray.get();
    }

    /** Changes what is simulated, for open sessions too; calls that hung and hang no more go on. */
    public void update(UnaryOperator<SimulatedTray> change) {
        tray.updateAndGet(change);
        lock.lock();
        try {
            trayChanged.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets a GPU report an event to the event sets that registered for it. */
    public void emit(int deviceIndex, EventType type, long data) {
        NvmlEvent event = new NvmlEvent(OptionalInt.of(deviceIndex), Numbered.of(type), data);
        eventSets.forEach(set -> set.offer(deviceIndex, event));
    }

    @Override
    public NvmlSession open() throws NvmlException {
        enter(NvmlCall.INIT);
        return new SimulatedSession(this);
    }

    /** Goes into a call: hangs or fails as the tray says, and otherwise returns the tray to answer from. */
    SimulatedTray enter(NvmlCall call) throws NvmlException {
        SimulatedTray current = whenNotHanging(call);
        NvmlReturn failure = current.failures().get(call);
        if (failure != null) {
            throw failed(call, failure);
        }
        return current;
    }

    /** Goes into a call on a GPU, whose own failures go before those of the tray. */
    SimulatedGpu enter(NvmlCall call, int index) throws NvmlException {
        SimulatedTray current = whenNotHanging(call);
        if (index < 0 || index >= current.gpus().size()) {
            throw failed(call, NvmlReturn.INVALID_ARGUMENT);
        }
        SimulatedGpu gpu = current.gpus().get(index);
        NvmlReturn failure = Optional.ofNullable(gpu.failures().get(call))
                .orElse(current.failures().get(call));
        if (failure != null) {
            throw failed(call, failure);
        }
        return gpu;
    }

    void attach(SimulatedEventSet set) {
        eventSets.add(set);
    }

    void detach(SimulatedEventSet set) {
        eventSets.remove(set);
    }

    static CallFailed failed(NvmlCall call, NvmlReturn result) {
        return new CallFailed(call, Numbered.of(result), Optional.empty());
    }

    private SimulatedTray whenNotHanging(NvmlCall call) {
        lock.lock();
        try {
            SimulatedTray current = tray.get();
            while (current.hanging().contains(call)) {
                // A call that hangs in the driver cannot be interrupted either.
                trayChanged.awaitUninterruptibly();
                current = tray.get();
            }
            return current;
        } finally {
            lock.unlock();
        }
    }
}
