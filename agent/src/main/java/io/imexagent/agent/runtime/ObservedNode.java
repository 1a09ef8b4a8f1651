package io.imexagent.agent.runtime;

import io.imexagent.dra.worker.Deadline;
import io.imexagent.imex.bind.NodeHolds;
import io.imexagent.kubernetes.clique.NodeMode;

/**
 * What an agent that only observes says of its node in the cluster, where nodes may say anything: that it observes, so that
 * a controller which hands out templates can tell why their pods stay Pending. It is the only thing that such an agent
 * writes anywhere.
 */
final class ObservedNode implements Lifetime.Part {

    private final Observing observing;
    private final NodeHolds holds;

    ObservedNode(Observing observing, Watching watching) {
        this.observing = observing;
        this.holds = Serving.holds(
                observing, watching, new NodeMode.Observing(), () -> Serving.lets(observing.api.reviews()), () -> {});
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
