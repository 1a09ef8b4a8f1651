package io.imexagent.agent.metrics;

import io.imexagent.dra.worker.Worker;
import io.imexagent.dra.worker.WorkerObserver;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Lanes as metrics; there are three of them at most. */
final class WorkerMetrics implements WorkerObserver {

    private final Meters meters;
    private final Map<String, Timer> tasks = new ConcurrentHashMap<>();

    WorkerMetrics(Meters meters) {
        this.meters = meters;
    }

    /** Shows a lane's queue and how long its present task has been running. */
    void show(Worker lane) {
        meters.gauge(Metric.LANE_QUEUE, lane::waiting, lane.name());
        meters.counter(Metric.LANE_REJECTED_TOTAL, lane.name());
        meters.gauge(
                Metric.LANE_BUSY_SECONDS,
                () -> lane.busyFor().orElse(Duration.ZERO).toMillis() / 1000.0,
                lane.name());
    }

    @Override
    public void ended(String lane, Duration took) {
        tasks.computeIfAbsent(lane, name -> meters.timer(Metric.LANE_TASK_SECONDS, name))
                .record(took);
    }

    @Override
    public void rejected(String lane) {
        meters.increment(Metric.LANE_REJECTED_TOTAL, lane);
    }
}
