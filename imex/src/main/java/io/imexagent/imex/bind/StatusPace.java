package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeDefinition;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rate of writes to the node's object on which no channel depends.
 *
 * <p>Operators read the node's status and the users of channel 0 there. Both are written at most every 15 seconds, and
 * every two minutes while they change all the time. The users of channel 0 are written no sooner than two seconds after
 * their last change, so that the claims of a workload need one write and delay no prepare.
 *
 * <p>While the cluster has no Node of this name, the controller takes each write as a sign of life: the object is then
 * written once a minute.
 *
 * <p>Not thread-safe: the {@link HoldWriter} guards it, and calls {@link #newlyMissed} in its loop alone.
 */
final class StatusPace {

    /** The time between writes while the cluster has no Node of this name, so that the controller keeps the object. */
    static final Duration SIGN_OF_LIFE = Duration.ofMinutes(1);

    private static final Duration REST = Duration.ofSeconds(15);

    /** The longest time between writes: 10,000 nodes whose links flap then write 83 times per second in total. */
    private static final Duration LONGEST_REST = Duration.ofMinutes(2);

    private static final int RESTLESS = 5;
    private static final Duration SETTLED = Duration.ofSeconds(2);

    /** The time between checks for an existing Node, less than the shortest time after which a node is lost. */
    private static final Duration NODE_CHECK = Duration.ofSeconds(90);

    private static final Logger LOG = LoggerFactory.getLogger(StatusPace.class);

    private final HoldWriter.NodeSources about;
    private NodeStatus reported = NodeStatus.NONE;
    private Map<ComputeDomainUid, Hold> shared = Map.of();
    private Map<ComputeDomainUid, Hold> reportedShared = Map.of();
    private long sharedAt;
    private long reportedAt;
    private Duration rest = REST;
    private int changesInARow;
    private NodeDefinition definition = NodeDefinition.CURRENT;
    private long writtenAt;
    private boolean nodeMissing;
    private long nodeCheckedAt;

    /** Creates the pace for a node whose object reports nothing yet; all times are of one steady clock. */
    StatusPace(HoldWriter.NodeSources about, long nanos) {
        this.about = about;
        this.nodeCheckedAt = nanos;
        begin(Map.of(), nanos);
    }

    /** Begins with these ComputeDomains, which use channel 0 and are in the first write. */
    void begin(Map<ComputeDomainUid, Hold> sharing, long nanos) {
        shared = Map.copyOf(sharing);
        reportedShared = shared;
        reportedAt = nanos - REST.toNanos();
    }

    /** Sets the ComputeDomains that use channel 0 now. Returns whether there is something to report. */
    boolean shares(Map<ComputeDomainUid, Hold> now, long nanos) {
        if (!shared.equals(now)) {
            shared = Map.copyOf(now);
            sharedAt = nanos;
        }
        return !shared.equals(reportedShared);
    }

    /** Adapts to the server's definition: fields that it drops are left out from now on. */
    void fit(NodeDefinition found, HoldState state) {
        if (found.compareTo(definition) > 0) {
            definition = found;
            reported = definition.fitting(reported);
            state.update(reported);
        }
    }

    /** Adds the due reports to the state, and returns the time until more are due. */
    Duration update(HoldState state, long nanos) {
        if (nodeMissing && !state.binding().isEmpty() && nanos - writtenAt >= SIGN_OF_LIFE.toNanos()) {
            state.again();
        }
        NodeStatus status = definition.fitting(about.status().get());
        boolean changed = !status.equals(reported);
        if (!changed && shared.equals(reportedShared)) {
            return Signal.UNTIL_RAISED;
        }
        Duration left = rest.minusNanos(nanos - reportedAt);
        Duration unsettled = changed ? Duration.ZERO : SETTLED.minusNanos(nanos - sharedAt);
        Duration wait = left.compareTo(unsettled) < 0 ? unsettled : left;
        if (wait.isPositive()) {
            return wait;
        }
        state.update(status);
        share(state);
        changesInARow = nanos - reportedAt < rest.multipliedBy(2).toNanos() ? changesInARow + 1 : 1;
        rest = changesInARow < RESTLESS ? REST : LONGEST_REST;
        reported = status;
        reportedShared = shared;
        reportedAt = nanos;
        return Signal.UNTIL_RAISED;
    }

    private void share(HoldState state) {
        reportedShared.keySet().stream()
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

    /** Records a write of the object. */
    void written(long nanos) {
        writtenAt = nanos;
    }

    /**
     * Whether this node's Node has disappeared since the last call. Reads the Node if that is due; without an answer
     * the last result stands. Blocking.
     */
    boolean newlyMissed(long nanos) {
        boolean before = nodeMissing;
        if (!before && nanos - nodeCheckedAt < NODE_CHECK.toNanos()) {
            return false;
        }
        nodeCheckedAt = nanos;
        try {
            nodeMissing = about.nodeMissing().make();
        } catch (ApiException e) {
            LOG.debug("cannot tell whether the Node exists node={} error=\"{}\"", about.node(), e.getMessage());
        }
        return nodeMissing && !before;
    }
}
