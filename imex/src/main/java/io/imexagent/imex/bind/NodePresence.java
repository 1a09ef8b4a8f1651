package io.imexagent.imex.bind;

import io.imexagent.kubernetes.ApiException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the cluster has this node's Node, without which the controller goes by signs of life. Asked by one thread. */
final class NodePresence {

    /** The cluster is not asked more often while it has the Node. Below the least time after which a node is lost. */
    private static final Duration ASKED = Duration.ofSeconds(90);

    private static final Logger LOG = LoggerFactory.getLogger(NodePresence.class);

    private final String node;
    private final HoldWriter.ApiCall<Boolean> question;
    private long checkedAt;
    private volatile boolean missing;

    NodePresence(String node, HoldWriter.ApiCall<Boolean> question, long nanos) {
        this.node = node;
        this.question = question;
        this.checkedAt = nanos;
    }

    boolean isMissing() {
        return missing;
    }

    /** Asks where that is due, and returns whether the Node has gone since. Without an answer, what was known stays. */
    boolean newlyMissed(long nanos) {
        boolean before = missing;
        if (!before && nanos - checkedAt < ASKED.toNanos()) {
            return false;
        }
        checkedAt = nanos;
        try {
            missing = question.make();
        } catch (ApiException e) {
            LOG.debug("cannot tell whether the Node exists node={} error=\"{}\"", node, e.getMessage());
        }
        return missing && !before;
    }
}
