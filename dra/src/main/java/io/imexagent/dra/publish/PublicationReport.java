package io.imexagent.dra.publish;

import io.imexagent.core.inventory.Finding;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where publication stands, and one line of the log for each time that this changes. */
final class PublicationReport {

    private static final Logger LOG = LoggerFactory.getLogger(PublicationReport.class);

    private final Clock clock;
    private final AtomicReference<PublicationState> state =
            new AtomicReference<>(new PublicationState.Pending("the start of publication"));

    PublicationReport(Clock clock) {
        this.clock = clock;
    }

    PublicationState state() {
        return state.get();
    }

    void pending(String waitingFor) {
        var pending = new PublicationState.Pending(waitingFor);
        if (!pending.equals(state.getAndSet(pending))) {
            LOG.info("publication waits for=\"{}\"", waitingFor);
        }
    }

    void published(int devices) {
        if (!(state.get() instanceof PublicationState.Published before) || before.devices() != devices) {
            state.set(new PublicationState.Published(devices, clock.instant()));
            LOG.info("devices published count={}", devices);
        }
    }

    void withheld(Finding why) {
        var withheld = new PublicationState.Withheld(why);
        if (!withheld.equals(state.getAndSet(withheld))) {
            LOG.warn("nothing published code={} reason=\"{}\" remedy=\"{}\"", why.code(), why.message(), why.remedy());
        }
    }

    void failed(ApiFailure failure) {
        Instant since = clock.instant();
        boolean known = false;
        if (state.get() instanceof PublicationState.Failing before) {
            since = before.since();
            known = before.failure().kind() == failure.kind();
        }
        state.set(new PublicationState.Failing(failure, since));
        if (!known) {
            LOG.warn("publication failed kind={} reason=\"{}\"", failure.kind().label(), failure.message());
        }
    }
}
