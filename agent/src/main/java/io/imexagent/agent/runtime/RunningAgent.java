package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.log.Logging;
import io.imexagent.checkpoint.PluginLock;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a running agent in the order of their start: observing, and where HostManagedIMEX is on, serving. Stopped
 * in the reverse order, whatever has started by then.
 */
final class RunningAgent implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(RunningAgent.class);

    private final AtomicReference<AgentConfig> config;
    private final Observing observing;
    private final Optional<Serving> serving;
    private final Deque<Part> started = new ArrayDeque<>();

    /** An agent that does nothing yet. */
    RunningAgent(AgentConfig config, ThisProcess process, String version) {
        this.config = new AtomicReference<>(config);
        Optional<PluginLock> lock = config.featureGates().hostManagedImex()
                ? Optional.of(LockAhead.begin(Places.lock(config)))
                : Optional.empty();
        this.observing = new Observing(this.config::get, process, version);
        this.serving = lock.map(held -> new Serving(this.config::get, process, observing, held));
    }

    /**
     * Starts.
     *
     * @throws IOException where the agent must not, or cannot, run; the message says what to do
     */
    void start() throws IOException, InterruptedException {
        started.push(observing);
        observing.start();
        if (serving.isPresent()) {
            started.push(serving.get());
            serving.get().start();
        } else {
            LOG.info("observing only: HostManagedIMEX is off, no device is served and no file of the kubelet touched");
        }
        observing.listen(new Pages(observing, serving));
    }

    /** The configuration in force. */
    AgentConfig config() {
        return config.get();
    }

    /** Puts a configuration in force that differs only where a running agent can follow. */
    void apply(AgentConfig changed) {
        config.set(changed);
        Logging.change(changed.log().level());
        serving.ifPresent(Serving::follow);
    }

    /** Reads the host now. */
    void refresh() {
        observing.refresh();
    }

    @Override
    public void stop() throws InterruptedException {
        while (!started.isEmpty()) {
            Part part = started.pop();
            try {
                part.stop();
            } catch (RuntimeException failure) {
                LOG.warn("a part did not stop in order part={}", part.getClass().getSimpleName(), failure);
            }
        }
    }
}
