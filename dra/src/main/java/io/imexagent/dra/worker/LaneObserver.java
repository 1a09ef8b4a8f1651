package io.imexagent.dra.worker;

import java.time.Duration;

/** Is told what a lane does, for metrics. Called on the lane's and its callers' threads; must not block. */
public interface LaneObserver {

    /** An observer that does not care. */
    LaneObserver NONE = new LaneObserver() {
        @Override
        public void queued(String lane, int waiting) {}

        @Override
        public void ended(String lane, Duration took) {}

        @Override
        public void rejected(String lane) {}
    };

    /** The number of tasks that wait has changed. */
    void queued(String lane, int waiting);

    /** A task has ended, well or not. */
    void ended(String lane, Duration took);

    /** A task was turned away since the queue was full, or the lane closed. */
    void rejected(String lane);
}
