package io.imexagent.agent.metrics;

import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimService.PrepareObserver.Operation;
import io.imexagent.dra.driver.ServedDriver.DriverObserver;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.kubernetes.ApiFailure;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The metrics of one DRA driver. Requests and claims have the public driver's names and meaning: totals and durations
 * count successful requests.
 */
public final class DriverMetrics implements DriverObserver {

    private static final List<String> PUBLICATIONS = List.of("pending", "published", "withheld", "failing");
    private static final List<String> REGISTRATIONS = List.of("not_yet", "registered", "rejected");

    private final Meters meters;
    private final String driver;
    private final Class<? extends PreparedDevice> counted;
    private final Requests prepares;
    private final Requests unprepares;
    private final AtomicLong devices = new AtomicLong();
    private final AtomicLong takenOver = new AtomicLong();
    private final AtomicInteger streams = new AtomicInteger();

    private record Requests(AtomicInteger inflight, Counter total, Timer duration, Metric errors) {

        static Requests of(Meters meters, String driver, Operation operation, Metric errors) {
            var inflight = new AtomicInteger();
            meters.gauge(Metric.NVIDIA_DRA_REQUESTS_INFLIGHT, inflight::get, driver, operation.label());
            return new Requests(
                    inflight,
                    meters.counter(Metric.NVIDIA_DRA_REQUESTS_TOTAL, driver, operation.label()),
                    meters.timer(Metric.NVIDIA_DRA_REQUEST_DURATION_SECONDS, driver, operation.label()),
                    errors);
        }
    }

    /** Creates a driver's metrics: {@code type} labels its devices; only devices of {@code counted} are counted. */
    DriverMetrics(Meters meters, String node, String driver, String type, Class<? extends PreparedDevice> counted) {
        this.meters = meters;
        this.driver = driver;
        this.counted = counted;
        this.prepares = Requests.of(meters, driver, Operation.PREPARE, Metric.NVIDIA_DRA_NODE_PREPARE_ERRORS_TOTAL);
        this.unprepares =
                Requests.of(meters, driver, Operation.UNPREPARE, Metric.NVIDIA_DRA_NODE_UNPREPARE_ERRORS_TOTAL);
        meters.counter(Metric.CLAIMS_ENDED_AS_GONE_TOTAL, driver);
        meters.counter(Metric.CDI_SPECS_RESTORED_TOTAL, driver);
        meters.counter(Metric.CONNECTIONS_REFUSED_TOTAL);
        meters.counter(Metric.REGISTRATION_FAILURES_TOTAL);
        meters.counter(Metric.SOCKETS_RESTORED_TOTAL);
        meters.gauge(Metric.NVIDIA_DRA_PREPARED_DEVICES, devices::get, node, driver, type);
        meters.gauge(Metric.CLAIMS_TAKEN_OVER, takenOver::get, driver);
        meters.gauge(Metric.HEALTH_STREAMS, streams::get, driver);
    }

    @Override
    public void show(Supplier<PublicationState> published, Supplier<RegistrationState> registered) {
        meters.states(Metric.PUBLICATION_STATE, driver, PUBLICATIONS, () -> label(published.get()));
        meters.states(
                Metric.REGISTRATION_STATE,
                driver,
                REGISTRATIONS,
                () -> registered.get().label());
        meters.gauge(
                Metric.PUBLISHED_DEVICES,
                () -> published.get() instanceof PublicationState.PublicationDone state ? state.devices() : 0,
                driver);
    }

    @Override
    public void began(Operation operation) {
        of(operation).inflight.incrementAndGet();
    }

    @Override
    public void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {
        Requests requests = of(operation);
        requests.inflight.decrementAndGet();
        if (failure.isEmpty()) {
            requests.total.increment();
            requests.duration.record(took);
        } else {
            meters.increment(
                    Metric.FAILED_REQUESTS_TOTAL,
                    operation.label(),
                    failure.get().label());
        }
    }

    @Override
    public void refused(Operation operation, RefusalCode code) {
        meters.increment(of(operation).errors, driver, code.label());
    }

    @Override
    public void endedAsGone() {
        meters.increment(Metric.CLAIMS_ENDED_AS_GONE_TOTAL, driver);
    }

    @Override
    public void restoredSpecs(int count) {
        meters.counter(Metric.CDI_SPECS_RESTORED_TOTAL, driver).increment(count);
    }

    @Override
    public void ledger(Ledger ledger) {
        devices.set(ledger.completed().stream()
                .flatMap(claim -> claim.devices().stream())
                .filter(counted::isInstance)
                .count());
        takenOver.set(ledger.completed().stream().filter(TakeOverMark::isOn).count());
    }

    @Override
    public void acted(String action) {
        meters.increment(Metric.PUBLICATION_ACTIONS_TOTAL, driver, action);
    }

    @Override
    public void failed(ApiFailure failure) {
        meters.increment(
                Metric.PUBLICATION_FAILURES_TOTAL, driver, failure.kind().label());
    }

    @Override
    public void connectionRefused() {
        meters.increment(Metric.CONNECTIONS_REFUSED_TOTAL);
    }

    @Override
    public void registration(RegistrationState state) {
        if (state instanceof RegistrationState.RegistrationRejected) {
            meters.increment(Metric.REGISTRATION_FAILURES_TOTAL);
        }
    }

    @Override
    public void socketRestored() {
        meters.increment(Metric.SOCKETS_RESTORED_TOTAL);
    }

    @Override
    public void healthStreams(int open) {
        streams.set(open);
    }

    private Requests of(Operation operation) {
        return switch (operation) {
            case PREPARE -> prepares;
            case UNPREPARE -> unprepares;
        };
    }

    private static String label(PublicationState state) {
        return switch (state) {
            case PublicationState.PublicationPending _ -> "pending";
            case PublicationState.PublicationDone _ -> "published";
            case PublicationState.PublicationWithheld _ -> "withheld";
            case PublicationState.PublicationFailing _ -> "failing";
        };
    }
}
