package io.imexagent.rdma.watch;

import io.imexagent.core.setting.Value.IpAddress;
import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.rdma.setting.RdmaSettings;
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

/** Asks the cluster for this node's addresses, often until it answers, then now and again. The last answer stands. */
public final class NodeAddresses extends Loop {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);

    private volatile KnownAddresses told = new KnownAddresses.Unknown("the API server has not answered yet");
    private final CountDownLatch answered = new CountDownLatch(1);
    private final Nodes nodes;
    private final String name;
    private final Pauses pauses;
    private final Runnable changed;

    /** Longest wait of {@link NodeAddresses#told}; pauses between questions while addresses are unknown, and later. */
    public record Pauses(Duration first, Duration unknown, Duration known) {}

    /** Does not ask yet; {@code changed} is called whenever something else is known than before. */
    public NodeAddresses(Nodes nodes, String name, Pauses pauses, Runnable changed) {
        super("node-addresses", new Signal());
        this.nodes = nodes;
        this.name = name;
        this.pauses = pauses;
        this.changed = changed;
    }

    /** What is known. Waits a moment for the first answer, so that nothing is decided without it at a start. */
    public KnownAddresses told() {
        try {
            if (!answered.await(pauses.first().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("the API server has not answered about the node's addresses yet");
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
        return told;
    }

    @Override
    protected Duration turn() {
        KnownAddresses before = told;
        KnownAddresses answer = asked();
        if (answer instanceof KnownAddresses.Known || !(before instanceof KnownAddresses.Known)) {
            told = answer;
        }
        answered.countDown();
        if (!told.equals(before)) {
            changed.run();
        }
        return told instanceof KnownAddresses.Known ? pauses.known() : pauses.unknown();
    }

    private KnownAddresses asked() {
        try {
            Optional<Nodes.NodeObject> node = nodes.get(name);
            if (node.isEmpty()) {
                return new KnownAddresses.Unknown("there is no Node object " + name + " yet");
            }
            Set<InetAddress> addresses = node.get().addresses().stream()
                    .filter(new IpAddress())
                    .map(InetAddress::ofLiteral)
                    .collect(Collectors.toSet());
            return addresses.isEmpty()
                    ? new KnownAddresses.Unknown("the Node object " + name + " has no IP address yet")
                    : new KnownAddresses.Known(
                            addresses,
                            Optional.of(node.get().software().runtime()).filter(runtime -> !runtime.isEmpty()));
        } catch (ApiException failure) {
            return new KnownAddresses.Unknown(failure.failure().message());
        } catch (RuntimeException defect) {
            LOG.error("the addresses of the node could not be read", defect);
            return new KnownAddresses.Unknown("the Node object could not be read, see the agent's log");
        }
    }

    /** The addresses under which the cluster knows this node, and its container runtime. */
    public sealed interface KnownAddresses {

        /** The runtime is as {@link Nodes.Software} has it; empty where the kubelet does not report it. */
        record Known(Set<InetAddress> addresses, Optional<String> runtime) implements KnownAddresses {

            public Known {
                addresses = Set.copyOf(addresses);
            }

            /** Addresses of a node whose container runtime is unknown. */
            public Known(Set<InetAddress> addresses) {
                this(addresses, Optional.empty());
            }

            /** They as text, sorted. */
            public List<String> texts() {
                return addresses.stream()
                        .map(InetAddress::getHostAddress)
                        .sorted()
                        .toList();
            }
        }

        /** Not known, for this reason (a clause): an interface that owns such an address may pass for a rail. */
        record Unknown(String reason) implements KnownAddresses {}

        default Set<InetAddress> known() {
            return this instanceof Known known ? known.addresses : Set.of();
        }

        /** The node's container runtime, {@code containerd://2.1.4}; empty if unknown. */
        default Optional<String> containerRuntime() {
            return this instanceof Known known ? known.runtime : Optional.empty();
        }

        /** Why uplinks that only these addresses show are not known; empty where they are, or addresses are configured. */
        default Optional<String> missing(RdmaSettings settings) {
            return this instanceof Unknown(String reason)
                            && settings.nodeAddresses().isEmpty()
                    ? Optional.of(reason)
                    : Optional.empty();
        }
    }
}
