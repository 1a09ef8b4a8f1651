package io.imexagent.controller;

import io.imexagent.controller.Reconciler.Outcome.Settled;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the object of a node whose Node has been missing, and whose agent silent, for long enough, by this controller's
 * steady clock since it began to lead. An agent that works while its Node is missing writes its object each minute; so an
 * object that stayed the same version all that time is of a node of which nothing answers. One list asks for all Nodes.
 */
final class LostNodes {

    private static final Duration ROUND = Duration.ofMinutes(5);
    private static final Logger LOG = LoggerFactory.getLogger(LostNodes.class);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final Duration after;
    private final LongSupplier nanoTime;
    private final Consumer<Work> again;
    private final Map<String, Missing> missing = new ConcurrentHashMap<>();
    private volatile Optional<Map<String, Boolean>> present = Optional.empty();
    private volatile Optional<Set<String>> lost = Optional.empty();

    /** Since when, by the steady clock, an object has been this version and its Node missing. */
    private record Missing(String version, long since) {}

    LostNodes(ControlPlane cluster, ClusterState state, Duration after, LongSupplier nanoTime, Consumer<Work> again) {
        this.cluster = cluster;
        this.state = state;
        this.after = after;
        this.nanoTime = nanoTime;
        this.again = again;
    }

    /** Forgets what was seen: another controller may have led meanwhile. */
    void forget() {
        missing.clear();
        present = Optional.empty();
        lost = Optional.empty();
    }

    /** The Nodes of the last round, and whether each was ready; empty where there was none. */
    Optional<Map<String, Boolean>> present() {
        return present;
    }

    /** The nodes with an object whose Node was NotReady or missing in the last round; empty where there was none. */
    Optional<Set<String>> lost() {
        return lost;
    }

    Optional<Settled> round() throws ApiException {
        if (!state.fabricListed()) {
            return Settled.until(CliqueTask.NOT_LISTED);
        }
        state.cliques().forEach(clique -> again.accept(new Work.Clique(clique)));
        if (state.nodes.all().isEmpty()) {
            forget();
            follow(Map.of());
        } else {
            Map<String, Boolean> now = cluster.fabric().kubernetesNodes();
            present = Optional.of(now);
            missing.keySet().removeAll(now.keySet());
            for (Stored<NvlinkNode> node : state.nodes.all()) {
                if (!now.containsKey(node.name()) && missing.putIfAbsent(node.name(), seen(node)) == null) {
                    again.accept(new Work.Node(node.name()));
                }
            }
            follow(now);
        }
        Duration half = after.dividedBy(2);
        return Settled.until(half.compareTo(ROUND) < 0 ? half : ROUND);
    }

    /** ComputeDomains that a node holds which is lost, or is so no more, are told by their conditions. */
    private void follow(Map<String, Boolean> now) {
        Set<String> gone = state.nodes.all().stream()
                .map(Stored::name)
                .filter(name -> !now.getOrDefault(name, false))
                .collect(Collectors.toSet());
        Optional<Set<String>> before = lost;
        lost = Optional.of(gone);
        Set<String> concerned = new HashSet<>();
        state.nodes.all().stream()
                .filter(node ->
                        gone.contains(node.name()) != before.orElse(Set.of()).contains(node.name()))
                .flatMap(node -> node.content().holds().keySet().stream())
                .forEach(domain -> concerned.add(domain.value()));
        if (before.isEmpty()) {
            state.domains.all().stream()
                    .filter(domain -> StatusWriter.degradedBy(domain, StatusWriter.NODES_LOST))
                    .forEach(domain -> concerned.add(domain.ref().uid()));
        }
        concerned.forEach(uid -> again.accept(new Work.Domain(uid)));
    }

    private Missing seen(Stored<NvlinkNode> node) {
        return new Missing(node.uid() + "@" + node.version(), nanoTime.getAsLong());
    }

    Optional<Settled> look(String name) throws ApiException {
        Optional<Stored<NvlinkNode>> known = state.node(name);
        if (known.isEmpty()) {
            missing.remove(name);
            return Settled.now();
        }
        Stored<NvlinkNode> node = known.get();
        if (node.deleting() && node.content().holds().isEmpty()) {
            return remove(node);
        }
        Missing since = missing.get(name);
        if (since == null) {
            return Settled.now();
        }
        Missing now = seen(node);
        if (!now.version().equals(since.version())) {
            missing.put(name, now);
            return Settled.until(after);
        }
        Duration left = after.minusNanos(now.since() - since.since());
        if (left.isPositive()) {
            return Settled.until(left);
        }
        if (cluster.fabric().nodeExists(name)) {
            missing.remove(name);
            return Settled.now();
        }
        LOG.warn(
                "node lost, its channels are free node={} holds={} missingFor={}s",
                name,
                node.content().holds().size(),
                after.toSeconds());
        return remove(node);
    }

    private Optional<Settled> remove(Stored<NvlinkNode> node) throws ApiException {
        cluster.fabric().nodes().delete(node);
        state.nodes.gone(node.uid());
        missing.remove(node.name());
        return Optional.empty();
    }
}
