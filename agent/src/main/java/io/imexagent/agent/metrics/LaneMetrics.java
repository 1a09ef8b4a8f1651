package io.imexagent.agent.metrics;

import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.LaneObserver;
import java.time.Duration;

/** Lanes as metrics; there are three of them at most. */
final class LaneMetrics implements LaneObserver {

    private final Meters meters;

    LaneMetrics(Meters meters) {
        this.meters = meters;
    }

    /** Shows a lane's queue and how long its present task has been running. */
    void show(Lane lane) {
        meters.gauge(MetricCatalogue.LANE_QUEUE, lane::waiting, lane.name());
        meters.counter(MetricCatalogue.LANE_REJECTED, lane.name());
        meters.gauge(
                MetricCatalogue.LANE_BUSY,
                () -> lane.busyFor().orElse(Duration.ZERO).toMillis() / 1000.0,
                lane.name());
    }

    @Override
    public void queued(String lane, int waiting) {
        // The gauge asks the lane itself.
    }

    @Override
    public void ended(String lane, Duration took) {
        meters.durations(MetricCatalogue.LANE_TASKS, lane).record(took);
    }

    @Override
    public void rejected(String lane) {
        meters.counter(MetricCatalogue.LANE_REJECTED, lane).increment();
    }
}
