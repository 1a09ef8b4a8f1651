package io.imexagent.dra.kubelet;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what the services did. */
final class RecordingDraObserver implements DraObserver {

    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger restored = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();
    private final AtomicBoolean failing = new AtomicBoolean();
    final List<RegistrationState> states = new CopyOnWriteArrayList<>();
    final List<Integer> streams = new CopyOnWriteArrayList<>();

    /** Lets the next restored socket meet a defect. */
    void failOnce() {
        failing.set(true);
    }

    @Override
    public void connectionRefused() {
        refused.incrementAndGet();
    }

    @Override
    public void registration(RegistrationState state) {
        states.add(state);
    }

    @Override
    public void socketRestored() {
        if (failing.getAndSet(false)) {
            failed.incrementAndGet();
            throw new IllegalStateException("as the test wants");
        }
        restored.incrementAndGet();
    }

    @Override
    public void healthStreams(int open) {
        streams.add(open);
    }
}
