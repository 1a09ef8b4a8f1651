package io.imexagent.agent.runtime;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the cluster, until it tells, under which addresses it knows this node. Empty until then. */
final class NodeAddresses implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);

    private final AtomicReference<Set<InetAddress>> known = new AtomicReference<>(Set.of());
    private final Thread thread;

    /**
     * Asks nobody yet.
     *
     * @param nodes the cluster's nodes
     * @param name this node
     * @param pause how long to wait between two questions
     * @param told called once the addresses are known
     */
    NodeAddresses(Nodes nodes, String name, Duration pause, Runnable told) {
        this.thread = Thread.ofVirtual().name("node-addresses").unstarted(() -> ask(nodes, name, pause, told));
    }

    void start() {
        thread.start();
    }

    Set<InetAddress> known() {
        return known.get();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void ask(Nodes nodes, String name, Duration pause, Runnable told) {
        try {
            while (known.get().isEmpty()) {
                known.set(literals(asked(nodes, name)));
                if (known.get().isEmpty()) {
                    Thread.sleep(pause);
                }
            }
            told.run();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> asked(Nodes nodes, String name) {
        try {
            return nodes.get(name).map(Nodes.NodeObject::addresses).orElse(List.of());
        } catch (ApiException failure) {
            LOG.debug("the addresses of the node are not known yet", failure);
            return List.of();
        }
    }

    private static Set<InetAddress> literals(List<String> addresses) {
        return addresses.stream()
                .filter(NodeAddresses::isLiteral)
                .map(InetAddress::ofLiteral)
                .collect(Collectors.toSet());
    }

    private static boolean isLiteral(String text) {
        try {
            return InetAddress.ofLiteral(text) != null;
        } catch (IllegalArgumentException noAddress) {
            return false;
        }
    }
}
