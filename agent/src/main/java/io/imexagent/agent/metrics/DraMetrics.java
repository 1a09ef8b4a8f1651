package io.imexagent.agent.metrics;

import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.RegistrationState;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The kubelet's services as metrics. */
final class DraMetrics implements DraObserver {

    private static final List<String> STATES = List.of("not_yet", "registered", "rejected");

    private final Meters meters;
    private final String driver;
    private final Meters.Count refused;
    private final Meters.Count rejected;
    private final Meters.Count restored;
    private final AtomicInteger streams = new AtomicInteger();

    DraMetrics(Meters meters, String driver) {
        this.meters = meters;
        this.driver = driver;
        this.refused = meters.counter(MetricCatalogue.CONNECTIONS_REFUSED);
        this.rejected = meters.counter(MetricCatalogue.REGISTRATION_FAILURES);
        this.restored = meters.counter(MetricCatalogue.SOCKETS_RESTORED);
        meters.gauge(MetricCatalogue.HEALTH_STREAMS, streams::get, driver);
    }

    /** Shows where the plugin stands with the kubelet. */
    void show(Supplier<RegistrationState> state) {
        for (String name : STATES) {
            meters.gauge(
                    MetricCatalogue.REGISTRATION_STATE,
                    () -> state.get().label().equals(name) ? 1 : 0,
                    driver,
                    name);
        }
    }

    @Override
    public void connectionRefused() {
        refused.increment();
    }

    @Override
    public void registration(RegistrationState state) {
        if (state instanceof RegistrationState.Rejected) {
            rejected.increment();
        }
    }

    @Override
    public void socketRestored() {
        restored.increment();
    }

    @Override
    public void healthStreams(int open) {
        streams.set(open);
    }
}
