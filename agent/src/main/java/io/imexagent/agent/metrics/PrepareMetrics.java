package io.imexagent.agent.metrics;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Operation;
import io.imexagent.dra.claim.PrepareObserver;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests and claims as metrics, under the public driver's names and with its meaning: totals and durations count
 * requests that succeeded.
 */
final class PrepareMetrics implements PrepareObserver {

    private final Meters meters;
    private final String driver;
    private final Class<? extends PreparedDevice> counted;
    private final Map<Operation, Requests> requests = new EnumMap<>(Operation.class);
    private final AtomicLong devices = new AtomicLong();

    /**
     * Metrics of one driver.
     *
     * @param type what its devices are called
     * @param counted the devices that are counted
     */
    PrepareMetrics(Meters meters, String node, String driver, String type, Class<? extends PreparedDevice> counted) {
        this.meters = meters;
        this.driver = driver;
        this.counted = counted;
        for (Operation operation : Operation.values()) {
            requests.put(operation, new Requests(meters, driver, operation.label()));
        }
        meters.gauge(MetricCatalogue.PREPARED_DEVICES, devices::get, node, driver, type);
    }

    @Override
    public void began(Operation operation) {
        of(operation).inflight.incrementAndGet();
    }

    @Override
    public void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {
        Requests counted = of(operation);
        counted.inflight.decrementAndGet();
        if (failure.isEmpty()) {
            counted.total.increment();
            counted.duration.record(took);
        } else {
            meters.counter(
                            MetricCatalogue.FAILED_REQUESTS,
                            operation.label(),
                            failure.get().label())
                    .increment();
        }
    }

    @Override
    public void refused(Operation operation, RefusalCode code) {
        MetricCatalogue errors = switch (operation) {
            case PREPARE -> MetricCatalogue.PREPARE_ERRORS;
            case UNPREPARE -> MetricCatalogue.UNPREPARE_ERRORS;
        };
        meters.counter(errors, driver, code.label()).increment();
    }

    @Override
    public void ledger(Ledger ledger) {
        devices.set(ledger.completed().stream()
                .flatMap(claim -> claim.devices().stream())
                .filter(counted::isInstance)
                .count());
    }

    private Requests of(Operation operation) {
        return Objects.requireNonNull(requests.get(operation));
    }

    /** The series of one operation, there from the start. */
    private static final class Requests {

        private final AtomicInteger inflight = new AtomicInteger();
        private final Meters.Count total;
        private final Meters.Durations duration;

        Requests(Meters meters, String driver, String operation) {
            total = meters.counter(MetricCatalogue.REQUESTS, driver, operation);
            duration = meters.durations(MetricCatalogue.REQUEST_DURATION, driver, operation);
            meters.gauge(MetricCatalogue.REQUESTS_INFLIGHT, inflight::get, driver, operation);
        }
    }
}
