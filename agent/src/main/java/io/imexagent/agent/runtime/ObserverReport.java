package io.imexagent.agent.runtime;

import io.imexagent.imex.bind.HoldWriter;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.worker.Deadline;

/**
 * Reports in the NVLinkNode, if the cluster has these objects, that this agent only observes, so that a controller can
 * report why the pods of its templates stay Pending. An agent that observes writes nothing else.
 */
final class ObserverReport implements Lifetime.Part {

    private final NodeObserver observing;
    private final HoldWriter holds;

    ObserverReport(NodeObserver observing, ImexMonitor watching) {
        this.observing = observing;
        this.holds = ChannelService.holds(
                observing,
                watching,
                new NodeMode.ObservingMode(),
                () -> ChannelService.mayReport(observing.api.reviews()),
                () -> {});
    }

    void start() {
        observing.inventory.onChange(changed -> holds.wake());
        holds.observe(observing.inventory.current().bootId());
    }

    /** Updates the report after a check of nvidia-imex. */
    void wake() {
        holds.wake();
    }

    @Override
    public void stop(Deadline deadline) {
        holds.close();
    }
}
