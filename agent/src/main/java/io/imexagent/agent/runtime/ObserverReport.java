package io.imexagent.agent.runtime;

import io.imexagent.imex.bind.HoldWriter;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.worker.Deadline;

/**
 * What an agent that only observes says of its node in the cluster, where nodes may say anything: that it observes, so that
 * a controller which hands out templates can tell why their pods stay Pending. It is the only thing that such an agent
 * writes anywhere.
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
                () -> ChannelService.mayListPods(observing.api.reviews()),
                () -> {});
    }

    void start() {
        observing.inventory.onChange(changed -> holds.wake());
        holds.observe(observing.inventory.current().bootId());
    }

    /** nvidia-imex was looked at. */
    void wake() {
        holds.wake();
    }

    @Override
    public void stop(Deadline deadline) {
        holds.close();
    }
}
