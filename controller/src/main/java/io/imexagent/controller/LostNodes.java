package io.imexagent.controller;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.Reconciler.TaskResult.TaskSettled;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the NVLinkNode of a node once its Node has been missing and its agent has not written for long enough. The
 * time is measured by this controller's steady clock from when it began to lead. An agent that works while its Node is
 * missing writes its object each minute; an object without a new write during this time therefore shows that nothing on
 * the node works. One list reads all Nodes; the objects of nodes record whose Node does not answer.
 */
final class LostNodes {

    private static final Duration ROUND = Duration.ofMinutes(5);

    /** The most objects that a round marks: if many Nodes are lost at once, releasing their holds matters more. */
    private static final int MOST_MARKS = 256;

    /** The failures after which further calls would fail, too. */
    private static final Set<ApiFailure.FailureKind> OF_THE_SERVER = Set.of(
            ApiFailure.FailureKind.UNREACHABLE,
            ApiFailure.FailureKind.TIMEOUT,
            ApiFailure.FailureKind.NO_KUBECONFIG,
            ApiFailure.FailureKind.UNAUTHORIZED,
            ApiFailure.FailureKind.THROTTLED);

    private static final Logger LOG = LoggerFactory.getLogger(LostNodes.class);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final ControllerPolicy policy;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final BooleanSupplier mayWork;
    private final Consumer<ReconcileKey> again;
    private final Map<String, NodeAbsence> missing = new ConcurrentHashMap<>();
    private volatile Optional<NodeListing> present = Optional.empty();
    private volatile Optional<Set<String>> lost = Optional.empty();
    /** Whether the server keeps the mark of a Node's state in the node's object. */
    private volatile boolean marks = true;

    /**
     * The node that the last round tried last. The next round continues after it, so that refused nodes do not delay
     * others.
     */
    private volatile String markedLast = "";

    /**
     * The last write of a node's agent, and the steady time since when this write is the last one while the Node is
     * missing.
     */
    private record NodeAbsence(String write, long since) {}

    /** {@code mayWork} is checked before each of the many calls of a round. */
    LostNodes(
            ControlPlane cluster,
            ClusterState state,
            ControllerPolicy policy,
            InstantSource clock,
            LongSupplier nanoTime,
            BooleanSupplier mayWork,
            Consumer<ReconcileKey> again) {
        this.cluster = cluster;
        this.state = state;
        this.policy = policy;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.mayWork = mayWork;
        this.again = again;
    }

    /** Forgets all observations, since another controller may have led meanwhile. */
    void forget() {
        missing.clear();
        present = Optional.empty();
        lost = Optional.empty();
        marks = true;
    }

    /** The Nodes of the last round, and whether each was ready; empty before the first round. */
    Optional<NodeListing> present() {
        return present;
    }

    /** The nodes with an object whose Node was NotReady or missing in the last round; empty before the first round. */
    Optional<Set<String>> lost() {
        return lost;
    }

    Optional<TaskSettled> round() throws ApiException {
        if (!state.fabricListed()) {
            return TaskSettled.until(CliqueTask.NOT_LISTED);
        }
        state.cliques().forEach(clique -> again.accept(new ReconcileKey.CliqueKey(clique)));
        if (state.nodes.all().isEmpty()) {
            forget();
            follow(List.of(), Map.of());
        } else {
            // Nodes that appear during the list are not missing.
            List<Stored<NvlinkNode>> known = state.nodes.all();
            NodeListing listing = NodeListing.of(state, cluster.fabric(), policy.rackLabel());
            Map<String, Boolean> now = listing.ready();
            present = Optional.of(listing);
            missing.keySet().removeAll(now.keySet());
            for (Stored<NvlinkNode> node : known) {
                if (!now.containsKey(node.name()) && missing.putIfAbsent(node.name(), seen(node)) == null) {
                    again.accept(new ReconcileKey.NodeKey(node.name()));
                }
            }
            follow(known, now);
            mark(known, now);
        }
        Duration half = policy.lostNodeAfter().dividedBy(2);
        return TaskSettled.until(half.compareTo(ROUND) < 0 ? half : ROUND);
    }

    /** Requeues the ComputeDomains of nodes that were lost or have returned, so that their conditions change. */
    private void follow(List<Stored<NvlinkNode>> known, Map<String, Boolean> now) {
        Set<String> gone = known.stream()
                .map(Stored::name)
                .filter(name -> !now.getOrDefault(name, false))
                .collect(Collectors.toSet());
        Optional<Set<String>> before = lost;
        lost = Optional.of(gone);
        Set<String> concerned = new HashSet<>();
        known.stream()
                .filter(node ->
                        gone.contains(node.name()) != before.orElse(Set.of()).contains(node.name()))
                .flatMap(node -> node.content().holds().keySet().stream())
                .forEach(domain -> concerned.add(domain.value()));
        if (before.isEmpty()) {
            state.domains.all().stream()
                    .filter(StatusWriter::degradedByFabric)
                    .forEach(domain -> concerned.add(domain.ref().uid()));
        }
        concerned.forEach(uid -> again.accept(new ReconcileKey.DomainKey(uid)));
    }

    /** Marks in the objects of nodes whether their Nodes answer, if this has changed. */
    private void mark(List<Stored<NvlinkNode>> known, Map<String, Boolean> now) {
        int tried = 0;
        int failed = 0;
        Optional<ApiFailure> last = Optional.empty();
        for (Stored<NvlinkNode> node : behind(markedLast, known)) {
            if (!marks
                    || tried >= MOST_MARKS
                    || last.map(ApiFailure::kind)
                            .filter(OF_THE_SERVER::contains)
                            .isPresent()
                    || !mayWork.getAsBoolean()) {
                break;
            }
            Optional<Outage.OutageState> state = outage(now, node.name());
            if (node.outage().map(Outage::state).equals(state)) {
                continue;
            }
            tried++;
            markedLast = node.name();
            Instant since = node.outage()
                    .map(Outage::since)
                    .orElseGet(() -> clock.instant().truncatedTo(SECONDS));
            try {
                mark(node, state.map(seen -> new Outage(seen, since)));
            } catch (ApiException refused) {
                if (refused.failure().kind() != ApiFailure.FailureKind.CONFLICT
                        && refused.failure().kind() != ApiFailure.FailureKind.NOT_FOUND) {
                    failed++;
                    last = Optional.of(refused.failure());
                }
            }
        }
        if (last.isPresent()) {
            LOG.warn(
                    "kubectl get nvlinknodes does not show which Nodes answer nodes={} reason=\"{}\"",
                    failed,
                    last.get().message());
        }
    }

    /** All nodes by name, starting after this name and ending with it. */
    private static List<Stored<NvlinkNode>> behind(String name, List<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .sorted(Comparator.<Stored<NvlinkNode>, Boolean>comparing(
                                node -> node.name().compareTo(name) <= 0)
                        .thenComparing(Stored::name))
                .toList();
    }

    private void mark(Stored<NvlinkNode> node, Optional<Outage> outage) throws ApiException {
        Stored<NvlinkNode> written = cluster.fabric().mark(node, outage);
        state.nodes.put(written);
        marks = written.outage().isPresent() == outage.isPresent();
        if (!marks) {
            LOG.info("the API server drops status.node of NVLinkNodes: its CustomResourceDefinition is an older one;"
                    + " apply what imex-agent manifests prints, then restart the controller");
        }
    }

    private static Optional<Outage.OutageState> outage(Map<String, Boolean> nodes, String name) {
        return Optional.ofNullable(nodes.get(name))
                .map(ready -> ready ? Optional.<Outage.OutageState>empty() : Optional.of(Outage.OutageState.NOT_READY))
                .orElse(Optional.of(Outage.OutageState.MISSING));
    }

    private NodeAbsence seen(Stored<NvlinkNode> node) {
        NvlinkNode content = node.content();
        return new NodeAbsence(node.uid() + "@" + content.session() + "@" + content.write(), nanoTime.getAsLong());
    }

    Optional<TaskSettled> check(String name) throws ApiException {
        Optional<Stored<NvlinkNode>> known = state.node(name);
        if (known.isEmpty()) {
            missing.remove(name);
            return TaskSettled.now();
        }
        Stored<NvlinkNode> node = known.get();
        // A hold of channel 0 is only a report; an agent that stops soon after its last claim leaves it behind.
        if (node.deleting() && node.content().holds().values().stream().noneMatch(Hold::binds)) {
            return remove(node);
        }
        NodeAbsence since = missing.get(name);
        if (since == null) {
            return TaskSettled.now();
        }
        NodeAbsence now = seen(node);
        if (!now.write().equals(since.write())) {
            missing.put(name, now);
            return TaskSettled.until(policy.lostNodeAfter());
        }
        Duration left = policy.lostNodeAfter().minusNanos(now.since() - since.since());
        if (left.isPositive()) {
            return TaskSettled.until(left);
        }
        if (cluster.fabric().nodeExists(name)) {
            missing.remove(name);
            return TaskSettled.now();
        }
        LOG.warn(
                "node lost, its channels are free node={} holds={} missingFor={}s",
                name,
                node.content().holds().size(),
                policy.lostNodeAfter().toSeconds());
        return remove(node);
    }

    private Optional<TaskSettled> remove(Stored<NvlinkNode> node) throws ApiException {
        cluster.fabric().nodes().delete(node);
        state.nodes.gone(node.uid());
        missing.remove(node.name());
        return Optional.empty();
    }
}
