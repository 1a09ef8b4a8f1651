package io.imexagent.agent.metrics;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.dra.claim.PrepareObserver;
import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.publish.PublicationObserver;
import io.imexagent.dra.publish.PublicationState;
import java.util.function.Supplier;

/** The metrics of one DRA driver. */
public final class DriverMetrics {

    private final PrepareMetrics prepare;
    private final PublicationMetrics publication;
    private final DraMetrics dra;

    DriverMetrics(Meters meters, String node, String driver, String type, Class<? extends PreparedDevice> counted) {
        this.prepare = new PrepareMetrics(meters, node, driver, type, counted);
        this.publication = new PublicationMetrics(meters, driver);
        this.dra = new DraMetrics(meters, driver);
    }

    /** The observer of prepare and unprepare. */
    public PrepareObserver prepare() {
        return prepare;
    }

    /** The observer of publication. */
    public PublicationObserver publication() {
        return publication;
    }

    /** The observer of the kubelet's services. */
    public DraObserver dra() {
        return dra;
    }

    /** Shows how far a driver has come that serves. */
    public void show(Supplier<PublicationState> published, Supplier<RegistrationState> registered) {
        publication.show(published);
        dra.show(registered);
    }
}
