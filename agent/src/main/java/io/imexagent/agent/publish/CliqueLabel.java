package io.imexagent.agent.publish;

import io.imexagent.agent.probe.InventorySource;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.policy.DriverNames;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node label {@code nvidia.com/gpu.clique} what NVML says: set while the node has a clique, removed once it is
 * known to have none, untouched while nobody can tell. Looked at on every change of the inventory and every 10 minutes.
 */
public final class CliqueLabel implements AutoCloseable {

    private static final Duration CHECK = Duration.ofMinutes(10);
    private static final Logger LOG = LoggerFactory.getLogger(CliqueLabel.class);

    private final Nodes nodes;
    private final String nodeName;
    private final InventorySource inventory;
    private final PublicationObserver observer;
    private final Backoff backoff;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;

    /**
     * A label.
     *
     * @param nodes node objects
     * @param nodeName this node
     * @param inventory what the node has
     * @param observer is told what happens
     * @param random random numbers in 0 … 1
     */
    public CliqueLabel(
            Nodes nodes,
            String nodeName,
            InventorySource inventory,
            PublicationObserver observer,
            DoubleSupplier random) {
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.inventory = inventory;
        this.observer = observer;
        this.backoff = new Backoff(random);
        this.thread = Thread.ofVirtual().name("clique-label").unstarted(this::run);
    }

    /** Begins to keep the label. */
    public void start() {
        inventory.onChange(changed -> wake.release());
        thread.start();
    }

    /** Leaves the label as it is. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                Duration pause = check();
                if (wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration check() {
        CliqueState clique = inventory.current().clique();
        try {
            switch (clique) {
                case CliqueState.Present present ->
                    keep(Optional.of(present.id().text()));
                case CliqueState.None none -> keep(Optional.empty());
                case CliqueState.Conflicting conflicting -> keep(Optional.empty());
                case CliqueState.Registering registering -> {}
                case CliqueState.Failed failed -> {}
                case CliqueState.Unknown unknown -> {}
            }
            backoff.succeeded();
            return CHECK;
        } catch (ApiException failure) {
            observer.failed(failure.failure());
            LOG.warn("node label not kept label={} reason=\"{}\"", DriverNames.CLIQUE_LABEL, failure.getMessage());
            return backoff.after(failure.failure());
        }
    }

    private void keep(Optional<String> value) throws ApiException {
        Optional<Nodes.NodeObject> node = nodes.get(nodeName);
        if (node.isEmpty()) {
            return;
        }
        Optional<String> present = Optional.ofNullable(node.get().labels().get(DriverNames.CLIQUE_LABEL));
        if (!present.equals(value)) {
            nodes.label(nodeName, DriverNames.CLIQUE_LABEL, value);
            observer.acted("label");
            LOG.info("node label kept label={} value={}", DriverNames.CLIQUE_LABEL, value.orElse("(removed)"));
        }
    }
}
