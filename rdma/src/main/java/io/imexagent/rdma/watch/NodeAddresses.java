package io.imexagent.rdma.watch;

import io.imexagent.core.setting.Value.IpAddress;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads this node's addresses from the API server, often until it answers, then at long intervals. The last answer
 * stays valid.
 */
public final class NodeAddresses extends Loop {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);

    private volatile KnownAddresses current = new KnownAddresses.UnreadAddresses("the API server has not answered yet");
    private final CountDownLatch answered = new CountDownLatch(1);
    private final Nodes nodes;
    private final String name;
    private final Pauses pauses;
    private final Runnable changed;

    /**
     * The longest wait of {@link NodeAddresses#current}, and the pauses between reads while the addresses are unknown,
     * and later.
     */
    public record Pauses(Duration first, Duration unknown, Duration known) {}

    /** A reader that has not started; {@code changed} is called whenever the known addresses change. */
    public NodeAddresses(Nodes nodes, String name, Pauses pauses, Runnable changed) {
        super("node-addresses", new Signal());
        this.nodes = nodes;
        this.name = name;
        this.pauses = pauses;
        this.changed = changed;
    }

    /** The known addresses. Waits briefly for the first answer, so that a start decides nothing without it. */
    public KnownAddresses current() {
        try {
            if (!answered.await(pauses.first().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("the API server has not answered about the node's addresses yet");
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
        return current;
    }

    @Override
    protected Duration turn() {
        KnownAddresses before = current;
        KnownAddresses answer = fetch();
        if (answer instanceof KnownAddresses.ReadAddresses || !(before instanceof KnownAddresses.ReadAddresses)) {
            current = answer;
        }
        answered.countDown();
        if (!current.equals(before)) {
            changed.run();
        }
        return current instanceof KnownAddresses.ReadAddresses ? pauses.known() : pauses.unknown();
    }

    private KnownAddresses fetch() {
        try {
            Optional<Nodes.NodeObject> node = nodes.get(name);
            if (node.isEmpty()) {
                return new KnownAddresses.UnreadAddresses("there is no Node object " + name + " yet");
            }
            Set<InetAddress> addresses = node.get().addresses().stream()
                    .filter(new IpAddress())
                    .map(InetAddress::ofLiteral)
                    .collect(Collectors.toSet());
            return addresses.isEmpty()
                    ? new KnownAddresses.UnreadAddresses("the Node object " + name + " has no IP address yet")
                    : new KnownAddresses.ReadAddresses(
                            addresses,
                            Optional.of(node.get().software().runtime()).filter(runtime -> !runtime.isEmpty()));
        } catch (ApiException failure) {
            return new KnownAddresses.UnreadAddresses(failure.failure().message());
        } catch (RuntimeException defect) {
            LOG.error("the addresses of the node could not be read", defect);
            return new KnownAddresses.UnreadAddresses("the Node object could not be read, see the agent's log");
        }
    }

    /** The node's addresses in the cluster, and its container runtime. */
    public sealed interface KnownAddresses {

        /** The runtime has the form of {@link Nodes.NodeSoftware}; empty if the kubelet does not report it. */
        record ReadAddresses(Set<InetAddress> addresses, Optional<String> runtime) implements KnownAddresses {

            public ReadAddresses {
                addresses = Set.copyOf(addresses);
            }

            /** The addresses as text, sorted. */
            public List<String> texts() {
                return addresses.stream()
                        .map(InetAddress::getHostAddress)
                        .sorted()
                        .toList();
            }
        }

        /**
         * The addresses are unknown, so an interface with one of them may be taken for a rail; the reason is a clause.
         */
        record UnreadAddresses(String reason) implements KnownAddresses {}

        default Set<InetAddress> known() {
            return this instanceof ReadAddresses known ? known.addresses : Set.of();
        }

        /** The node's container runtime, {@code containerd://2.1.4}; empty if unknown. */
        default Optional<String> containerRuntime() {
            return this instanceof ReadAddresses known ? known.runtime : Optional.empty();
        }

        /** Why uplinks that only these addresses reveal are unknown; empty if the addresses are known or configured. */
        default Optional<String> missing(RdmaSettings settings) {
            return this instanceof UnreadAddresses(String reason)
                            && settings.nodeAddresses().isEmpty()
                    ? Optional.of(reason)
                    : Optional.empty();
        }
    }
}
