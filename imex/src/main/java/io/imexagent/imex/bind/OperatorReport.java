package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What operators read in the node's object, and nothing waits for: the sight of the node, and who uses channel 0. It is
 * written at most every 15 seconds, and every two minutes while it changes all the time; who uses channel 0 moreover only
 * two seconds after the last change, so that the claims of a workload are one write and cost a prepare nothing. Not
 * thread-safe.
 */
final class OperatorReport {

    private static final Duration REST = Duration.ofSeconds(15);

    /** 10,000 nodes whose links flap write 83 times a second together. */
    private static final Duration LONGEST_REST = Duration.ofMinutes(2);

    private static final int RESTLESS = 5;
    private static final Duration SETTLED = Duration.ofSeconds(2);

    private NodeStatus written = NodeStatus.NONE;
    private Map<ComputeDomainUid, Hold> shared;
    private Map<ComputeDomainUid, Hold> writtenShared;
    private long sharedAt;
    private long writtenAt;
    private Duration rest = REST;
    private int changesInARow;
    private boolean modeDropped;

    /** When the holds of channel 0 were last reported, by the steady clock. */
    OperatorReport(Map<ComputeDomainUid, Hold> shared, long nanos) {
        this.shared = Map.copyOf(shared);
        this.writtenShared = this.shared;
        this.writtenAt = nanos - REST.toNanos();
    }

    /** These ComputeDomains use channel 0 now. Returns whether there is something to tell. */
    boolean shares(Map<ComputeDomainUid, Hold> now, long nanos) {
        if (!shared.equals(now)) {
            shared = Map.copyOf(now);
            sharedAt = nanos;
        }
        return !shared.equals(writtenShared);
    }

    Map<ComputeDomainUid, Hold> shared() {
        return shared;
    }

    /** The server does not keep the mode: it is left out from now on. */
    void dropMode(HoldState state) {
        modeDropped = true;
        written = seen(written);
        state.update(written);
    }

    private NodeStatus seen(NodeStatus status) {
        return modeDropped ? status.in(Optional.empty()) : status;
    }

    /** Puts what is due into the book, and returns after which time more will be. */
    Duration update(HoldState state, NodeStatus now, long nanos) {
        NodeStatus status = seen(now);
        boolean seen = !status.equals(written);
        if (!seen && shared.equals(writtenShared)) {
            return Signal.UNTIL_RAISED;
        }
        Duration left = rest.minusNanos(nanos - writtenAt);
        Duration unsettled = seen ? Duration.ZERO : SETTLED.minusNanos(nanos - sharedAt);
        Duration wait = left.compareTo(unsettled) < 0 ? unsettled : left;
        if (wait.isPositive()) {
            return wait;
        }
        state.update(status);
        hold(state);
        changesInARow = nanos - writtenAt < rest.multipliedBy(2).toNanos() ? changesInARow + 1 : 1;
        rest = changesInARow < RESTLESS ? REST : LONGEST_REST;
        written = status;
        writtenShared = shared;
        writtenAt = nanos;
        return Signal.UNTIL_RAISED;
    }

    private void hold(HoldState state) {
        writtenShared.keySet().stream()
                .filter(domain -> !shared.containsKey(domain))
                .filter(domain ->
                        state.hold(domain).filter(held -> !held.binds()).isPresent())
                .toList()
                .forEach(state::release);
        shared.values().stream()
                .filter(hold ->
                        state.hold(hold.domain().uid()).filter(Hold::binds).isEmpty())
                .forEach(state::want);
    }
}
