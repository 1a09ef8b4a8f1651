package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlEventSet.NvmlEvent;
import io.imexagent.nvml.NvmlException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * NVML over a tray that a test exchanges while sessions are open, and whose GPUs report events. It stands for a driver: what
 * it says is no simulation to whoever asks.
 */
public final class StagedNvml extends SimulatedNvml {
    private final List<Events> eventSets = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition trayChanged = lock.newCondition();
    private volatile SimulatedTray tray;
    private volatile boolean replaced;

    /**
     * @param tray what to simulate at first
     */
    public StagedNvml(SimulatedTray tray) {
        super(tray);
        this.tray = tray;
    }

    @Override
    public SimulatedTray tray() {
        return tray;
    }

    @Override
    public boolean simulated() {
        return false;
    }

    /** Whether sessions, those that are opened from now on included, have a library that was replaced. */
    public void replace(boolean now) {
        replaced = now;
    }

    @Override
    boolean replaced() {
        return replaced;
    }

    /** Changes what is simulated, for open sessions too; calls that hung and hang no more go on. */
    public void update(UnaryOperator<SimulatedTray> change) {
        lock.lock();
        try {
            tray = change.apply(tray);
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

    /** Ends the time for which event sets wait at present. */
    public void endWaits() {
        eventSets.forEach(set -> set.events.add(Optional.empty()));
    }

    @Override
    void hang(NvmlCall call) {
        lock.lock();
        try {
            while (tray.hanging().contains(call)) {
                trayChanged.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    SimulatedSession.SimulatedEventSet eventSet(SimulatedSession session) {
        return new Events(session);
    }

    private final class Events extends SimulatedSession.SimulatedEventSet {
        private final Map<Integer, Set<EventType>> registered = new ConcurrentHashMap<>();
        private final BlockingQueue<Optional<NvmlEvent>> events = new LinkedBlockingQueue<>();

        Events(SimulatedSession session) {
            session.super();
            eventSets.add(this);
        }

        /** Takes an event in, if it was registered for; called from the thread that simulates it. */
        void offer(int deviceIndex, NvmlEvent event) {
            if (registered.getOrDefault(deviceIndex, Set.of()).stream().anyMatch(event.type()::is)) {
                events.add(Optional.of(event));
            }
        }

        @Override
        public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
            super.register(deviceIndex, types);
            registered.put(deviceIndex, Set.copyOf(types));
        }

        @Override
        Optional<NvmlEvent> next(long deadline) {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return Optional.ofNullable(events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS))
                                .flatMap(next -> next);
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
            eventSets.remove(this);
            super.close();
        }
    }
}
