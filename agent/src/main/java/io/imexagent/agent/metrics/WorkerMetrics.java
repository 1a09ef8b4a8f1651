package io.imexagent.agent.metrics;

import io.imexagent.dra.worker.Worker;
import io.imexagent.dra.worker.WorkerObserver;
import java.time.Duration;

/** Workers as metrics; there are three of them at most. */
final class WorkerMetrics implements WorkerObserver {

    private final Meters meters;

    WorkerMetrics(Meters meters) {
        this.meters = meters;
    }

    /** Shows a worker's queue and how long its present task has been running. */
    void show(Worker worker) {
        meters.gauge(Metric.WORKER_QUEUE, worker::waiting, worker.name());
        meters.counter(Metric.WORKER_REJECTED_TOTAL, worker.name());
        meters.gauge(
                Metric.WORKER_BUSY_SECONDS,
                () -> worker.busyFor().orElse(Duration.ZERO).toMillis() / 1000.0,
                worker.name());
    }

    @Override
    public void ended(String worker, Duration took) {
        meters.timer(Metric.WORKER_TASK_SECONDS, worker).record(took);
    }

    @Override
    public void rejected(String worker) {
        meters.increment(Metric.WORKER_REJECTED_TOTAL, worker);
    }
}
