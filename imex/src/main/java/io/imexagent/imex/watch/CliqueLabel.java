package io.imexagent.imex.watch;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.dra.driver.SlicePublisher;
import io.imexagent.dra.driver.SlicePublisher.PublicationObserver;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node label {@code nvidia.com/gpu.clique} equal to NVML's report: set while the node has a clique, removed
 * once it is known to have none, unchanged while that is unknown. If the configuration does not want the label (any
 * more), it is removed if this process has set it, and otherwise left as it was found.
 */
public final class CliqueLabel extends Loop {

    static final Duration CHECK = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(CliqueLabel.class);

    private final Nodes nodes;
    private final String nodeName;
    private final InventorySource inventory;
    private final BooleanSupplier wanted;
    private final PublicationObserver observer;
    private final DoubleSupplier random;
    private int failures;
    private Optional<ApiFailure.FailureKind> failing = Optional.empty();
    private Optional<String> set = Optional.empty();

    /** Creates the label's loop before the first write; {@code wanted} may change at any time. */
    public CliqueLabel(
            Nodes nodes,
            String nodeName,
            InventorySource inventory,
            BooleanSupplier wanted,
            PublicationObserver observer,
            DoubleSupplier random,
            Signal signal) {
        super("clique-label", signal);
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.inventory = inventory;
        this.wanted = wanted;
        this.observer = observer;
        this.random = random;
    }

    @Override
    public void start() {
        inventory.onChange(changed -> wake());
        super.start();
    }

    @Override
    protected Duration turn() {
        try {
            Duration pause = wanted.getAsBoolean() ? follow(inventory.current().clique()) : leave();
            failures = 0;
            failing = Optional.empty();
            return pause;
        } catch (ApiException failure) {
            return failed(failure.failure());
        } catch (RuntimeException defect) {
            LOG.error("node label not set, a defect", defect);
            return failed(new ApiFailure(ApiFailure.FailureKind.UNREADABLE, "a defect: " + defect, Optional.empty()));
        }
    }

    private Duration follow(CliqueState clique) throws ApiException {
        return switch (clique) {
            case CliqueState.KnownClique present -> keep(Optional.of(present.text()));
            case CliqueState.NoClique _, CliqueState.ConflictingClique _ -> keep(Optional.empty());
            case CliqueState.RegisteringClique _, CliqueState.FailedClique _, CliqueState.UnknownClique _ -> CHECK;
        };
    }

    /** Removes the label that this process has set, unless another process has changed it since. */
    private Duration leave() throws ApiException {
        if (set.isEmpty()) {
            return CHECK;
        }
        Optional<String> present = nodes.get(nodeName).map(node -> node.labels().get(DriverNames.CLIQUE_LABEL));
        if (present.equals(set)) {
            keep(Optional.empty());
        }
        set = Optional.empty();
        return CHECK;
    }

    private Duration keep(Optional<String> value) throws ApiException {
        Optional<Nodes.NodeObject> node = nodes.get(nodeName);
        if (node.isEmpty()) {
            return SlicePublisher.NODE_CHECK;
        }
        Optional<String> present = Optional.ofNullable(node.get().labels().get(DriverNames.CLIQUE_LABEL));
        if (!present.equals(value)) {
            nodes.label(nodeName, DriverNames.CLIQUE_LABEL, value);
            set = value;
            observer.acted("label");
            LOG.info("node label changed label={} value={}", DriverNames.CLIQUE_LABEL, value.orElse("(removed)"));
        }
        return CHECK;
    }

    private Duration failed(ApiFailure failure) {
        observer.failed(failure);
        if (!failing.equals(Optional.of(failure.kind()))) {
            LOG.warn(
                    "node label not set label={} kind={} reason=\"{}\"",
                    DriverNames.CLIQUE_LABEL,
                    failure.kind().label(),
                    failure.message());
        }
        failing = Optional.of(failure.kind());
        return SlicePublisher.BACKOFF.after(++failures, failure.retryAfter(), random);
    }
}
