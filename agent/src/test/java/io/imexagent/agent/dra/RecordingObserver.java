package io.imexagent.agent.dra;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what the services did. */
final class RecordingObserver implements DraObserver {

    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger restored = new AtomicInteger();
    final List<RegistrationState> states = new CopyOnWriteArrayList<>();
    final List<Integer> streams = new CopyOnWriteArrayList<>();

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
        restored.incrementAndGet();
    }

    @Override
    public void healthStreams(int open) {
        streams.add(open);
    }
}
