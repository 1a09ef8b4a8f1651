package io.imexagent.agent.metrics;

import io.imexagent.dra.publish.PublicationObserver;
import io.imexagent.dra.publish.PublicationState;
import io.imexagent.kubernetes.ApiFailure;
import java.util.List;
import java.util.function.Supplier;

/** Publication as metrics. */
final class PublicationMetrics implements PublicationObserver {

    private static final List<String> STATES = List.of("pending", "published", "withheld", "failing");

    private final Meters meters;
    private final String driver;

    PublicationMetrics(Meters meters, String driver) {
        this.meters = meters;
        this.driver = driver;
    }

    /** Shows how far publication has come. */
    void show(Supplier<PublicationState> state) {
        for (String name : STATES) {
            meters.gauge(
                    MetricCatalogue.PUBLICATION_STATE, () -> label(state.get()).equals(name) ? 1 : 0, driver, name);
        }
        meters.gauge(
                MetricCatalogue.PUBLISHED_DEVICES,
                () -> state.get() instanceof PublicationState.Published published ? published.devices() : 0,
                driver);
    }

    @Override
    public void acted(String action) {
        meters.counter(MetricCatalogue.PUBLICATION_ACTIONS, driver, action).increment();
    }

    @Override
    public void failed(ApiFailure failure) {
        meters.counter(
                        MetricCatalogue.PUBLICATION_FAILURES,
                        driver,
                        failure.kind().label())
                .increment();
    }

    private static String label(PublicationState state) {
        return switch (state) {
            case PublicationState.Pending pending -> "pending";
            case PublicationState.Published published -> "published";
            case PublicationState.Withheld withheld -> "withheld";
            case PublicationState.Failing failing -> "failing";
        };
    }
}
