package io.imexagent.imex.watch;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses and names of this host in its Node object, read once the host does not find itself in its IMEX domain
 * by its own addresses and names. The last answer stands; it is empty before the first.
 */
public final class ClusterNames extends Loop {

    private static final Duration KNOWN = Duration.ofMinutes(10);
    private static final Duration UNKNOWN = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNames.class);

    private final Nodes nodes;
    private final String node;
    private final Runnable changed;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile List<String> names = List.of();

    /** Creates the names before the first read; {@code changed} is called on another thread after a change. */
    public ClusterNames(Nodes nodes, String node, Runnable changed) {
        super("cluster-names", new Signal());
        this.nodes = nodes;
        this.node = node;
        this.changed = changed;
    }

    /** The addresses and names that are known now. */
    public List<String> names() {
        return names;
    }

    /** Starts to read the Node from now on. Never blocks. */
    public void want() {
        if (wanted.compareAndSet(false, true)) {
            start();
        }
    }

    @Override
    protected Duration turn() {
        try {
            List<String> answer =
                    nodes.get(node).map(Nodes.NodeObject::addresses).orElse(List.of());
            if (!answer.equals(names)) {
                names = answer;
                changed.run();
            }
            return answer.isEmpty() ? UNKNOWN : KNOWN;
        } catch (ApiException failure) {
            LOG.debug("the addresses of the Node are not known node={} reason=\"{}\"", node, failure.getMessage());
            return UNKNOWN;
        }
    }
}
