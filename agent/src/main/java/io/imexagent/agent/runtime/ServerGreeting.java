package io.imexagent.agent.runtime;

import io.imexagent.dra.worker.Deadline;
import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the API server once who it is, again until it answers: the log tells its version, or what keeps it away, or that
 * the cluster is too old. The connection that this makes is at hand for the first claim.
 */
final class ServerGreeting implements Part {

    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(ServerGreeting.class);

    private final KubernetesApi api;
    private final Loop loop = new Loop("api-greeting", this::greet);
    private String told = "";

    ServerGreeting(KubernetesApi api) {
        this.api = api;
    }

    void start() {
        loop.start();
    }

    @Override
    public void stop(Deadline deadline) {
        loop.close();
    }

    private Duration greet() {
        try {
            LOG.info("API server answers version={}", api.verify());
            return Signal.UNTIL_RAISED;
        } catch (ApiException failure) {
            tell(failure.failure());
        }
        return AGAIN;
    }

    /** A failure is told once, and again when it becomes another. */
    private void tell(ApiFailure failure) {
        String label = failure.kind().label();
        if (!label.equals(told)) {
            LOG.warn("API server not usable, tried again kind={} reason=\"{}\"", label, failure.message());
        }
        told = label;
    }
}
