package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.ClusterState;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.ReadyNodes;
import io.imexagent.controller.Reporter;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.HttpControlPlane;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.log.LogLevel;
import io.imexagent.log.Logging;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a controller sees of the cluster, read once: for {@code imex-agent domains}, {@code cliques} and {@code racks}. */
public record LocalCluster(AgentConfig config, ThisProcess process) {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A watch comes back by itself after most failures; one that lasts this long is told. */
    private static final Duration LASTING = Duration.ofSeconds(3);

    private static final long LOOK_MS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);

    /** The cluster as a configuration gives it to a controller, and to commands that look at its work. */
    public static ControlPlane open(AgentConfig config, ThisProcess process, String identity, ApiObserver observer) {
        return new HttpControlPlane(
                ClusterAccess.of("controller.kubeconfig", config.controller().kubeconfig())
                        .orServiceAccount(process.environment(), Path.of("/")),
                "imex-controller/" + process.version(),
                identity,
                config.controller().namespace(),
                config.controller().callsPerSecond(),
                process.clock(),
                process.random(),
                observer);
    }

    /** The policy under which the configuration lets controllers work. */
    public static ControllerPolicy policy(AgentConfig config) {
        return new ControllerPolicy(
                config.imex().isolation().orElse(Isolation.NONE),
                config.imex().channels(),
                config.controller().lostNodeAfter());
    }

    /** Tells the racks, and again whenever they change, or cannot be read any more, until the thread is interrupted. */
    void watchRacks(Consumer<RackReport> listener) throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            ClusterState state = listed(cluster);
            Optional<Map<String, Boolean>> nodes = nodes(cluster);
            var ready = new ReadyNodes(cluster.fabric()::kubernetesNodes, process.nanoTime());
            var staleness = new Staleness(process.clock());
            Optional<RackReport> told = Optional.empty();
            while (true) {
                Optional<Map<String, Boolean>> recent = ready.recent();
                // Who may not list the Nodes was shown the rest without them from the first.
                Optional<String> unlisted = nodes.flatMap(any -> ready.failure())
                        .map(why -> "whether Nodes are ready cannot be read: " + why);
                RackReport now = RackReport.of(
                        reporter(state, recent.or(() -> unlisted.isEmpty() ? nodes : Optional.empty()))
                                .fabric(),
                        staleness.told(
                                cluster.watchFailure().map(ApiFailure::message).or(() -> unlisted)));
                if (!told.equals(Optional.of(now))) {
                    listener.accept(now);
                    told = Optional.of(now);
                }
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    /** Reads the cluster once; without its Nodes where nobody wants to know which are ready. */
    Reporter read(boolean withNodes) throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            ClusterState state = listed(cluster);
            cluster.unread()
                    .forEach((resource, objects) -> LOG.error(
                            "{} of {} cannot be read and stand in no list: {}", objects.count(), resource, objects));
            return reporter(state, withNodes ? nodes(cluster) : Optional.empty());
        }
    }

    private ControlPlane open() {
        // What its watches met in vain, the command says once, as its own failure.
        Logging.ofCommand(LogLevel.ERROR);
        return open(config, process, "cli", ApiObserver.NONE);
    }

    private ClusterState listed(ControlPlane cluster) throws IOException, InterruptedException {
        var state = new ClusterState(work -> {});
        state.watch(cluster);
        long begun = process.nanoTime().getAsLong();
        long sound = begun;
        while (!state.listed() || !state.fabricListed()) {
            long now = process.nanoTime().getAsLong();
            Optional<ApiFailure> failure = cluster.watchFailure();
            if (failure.isEmpty()) {
                sound = now;
            } else if (refused(failure.get()) || now - sound > LASTING.toNanos()) {
                throw new IOException(failure.get().message());
            }
            if (now - begun > PATIENCE.toNanos()) {
                throw new IOException("the API server did not list ComputeDomains and cliques within "
                        + PATIENCE.toSeconds() + " s; check that it answers, and try again");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        return state;
    }

    /** Where the configuration sets no isolation, tables of cliques show that the cluster has it. */
    private Reporter reporter(ClusterState state, Optional<Map<String, Boolean>> nodes) {
        ControllerPolicy configured = policy(config);
        boolean tables =
                state.cliques().stream().anyMatch(clique -> state.table(clique).isPresent());
        return new Reporter(
                config.imex().isolation().isPresent() || !tables
                        ? configured
                        : new ControllerPolicy(
                                Isolation.IMEX_CHANNEL, configured.channels(), configured.lostNodeAfter()),
                state,
                nodes,
                Map.of());
    }

    /** Whether the server has said no, and will again. */
    private static boolean refused(ApiFailure failure) {
        return switch (failure.kind()) {
            case FORBIDDEN, OTHER_NODE, NO_KUBECONFIG, UNAUTHORIZED, NO_RELATIONSHIP, INVALID, NOT_FOUND, UNSUPPORTED ->
                true;
            case UNREACHABLE, TIMEOUT, GONE, CONFLICT, THROTTLED, SERVER_ERROR, UNREADABLE -> false;
        };
    }

    /** How the Nodes are; not known to who may not list them, and the rest is told without it. */
    private static Optional<Map<String, Boolean>> nodes(ControlPlane cluster) throws IOException {
        try {
            return Optional.of(cluster.fabric().kubernetesNodes());
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.Kind.FORBIDDEN) {
                return Optional.empty();
            }
            throw new IOException(e.getMessage(), e);
        }
    }
}
