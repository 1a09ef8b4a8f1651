package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedDomain;
import io.imexagent.controller.ClusterState;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.NodeListing;
import io.imexagent.controller.PlacementReport;
import io.imexagent.controller.ReadyNodes;
import io.imexagent.controller.Reporter;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpControlPlane;
import io.imexagent.log.LogLevel;
import io.imexagent.log.Logging;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A controller's view of the cluster, read once for {@code imex-agent domains}, {@code cliques} and {@code racks}. */
public record LocalCluster(AgentConfig config, ThisProcess process, ClusterAccess access) {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A watch recovers from most failures by itself; a failure that lasts this long is reported. */
    private static final Duration LASTING = Duration.ofSeconds(3);

    private static final long LOOK_MS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);

    /** Opens the cluster of a controller with this configuration. */
    public static ControlPlane open(AgentConfig config, ThisProcess process, String identity, ApiObserver observer) {
        return new LocalCluster(config, process, new KubeconfigChoice(config, process.environment()).ofController())
                .open(identity, observer);
    }

    private ControlPlane open(String identity, ApiObserver observer) {
        return new HttpControlPlane(
                access,
                "imex-controller/" + process.version(),
                identity,
                config.controller().namespace(),
                config.controller().callsPerSecond(),
                process.clock(),
                process.random(),
                observer);
    }

    /** The policy of controllers under this configuration. */
    public static ControllerPolicy policy(AgentConfig config) {
        return policy(config, config.imex().isolation().orElse(Isolation.NONE));
    }

    private static ControllerPolicy policy(AgentConfig config, Isolation isolation) {
        return new ControllerPolicy(
                isolation,
                config.imex().channels(),
                config.controller().lostNodeAfter(),
                config.placementOfCliques(),
                config.controller().rackLabel());
    }

    /** Reports the racks, and again after each change or failure to read them, until the thread is interrupted. */
    void watchRacks(Consumer<RackReport> listener) throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            ClusterState state = listed(cluster);
            Optional<NodeListing> nodes = nodes(cluster, state);
            var ready =
                    new ReadyNodes(state, cluster::fabric, config.controller().rackLabel(), process.nanoTime());
            var staleness = new Staleness(process.clock());
            Optional<RackReport> reported = Optional.empty();
            while (true) {
                Optional<NodeListing> recent = ready.recent();
                // For a user who may not list Nodes, their absence is not staleness.
                Optional<String> unlisted = nodes.flatMap(any -> ready.failure())
                        .map(why -> "whether Nodes are ready cannot be read: " + why);
                RackReport now = RackReport.of(
                        reporter(cluster, state, recent.or(() -> unlisted.isEmpty() ? nodes : Optional.empty()))
                                .fabric(process.clock().instant()),
                        staleness.update(
                                cluster.watchFailure().map(ApiFailure::message).or(() -> unlisted)));
                if (!reported.equals(Optional.of(now))) {
                    listener.accept(now);
                    reported = Optional.of(now);
                }
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    /** The present ComputeDomains, with the known placement of their pods. */
    List<ReportedDomain> domains() throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            Reporter reporter = read(cluster);
            ClusterReport report = reporter.report();
            return reporter.places() ? placement(cluster, reporter, true).domains(report) : report.domains();
        }
    }

    /** The present cliques, with the Nodes that lack the clique's label if pods are placed by this label. */
    List<CliqueReport> cliques() throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            Reporter reporter = read(cluster);
            List<CliqueReport> cliques = reporter.cliques();
            return reporter.places() ? placement(cluster, reporter, false).cliques(cliques) : cliques;
        }
    }

    /** Lists the placed pods, if {@code pods}, and the labels of Nodes; without permission, the rest is shown. */
    private static PlacementReport placement(ControlPlane cluster, Reporter reporter, boolean pods) throws IOException {
        try {
            return reporter.placement(pods ? cluster.placedPods() : List.of(), cluster.cliqueLabels());
        } catch (ApiException e) {
            if (e.failure().kind() != ApiFailure.FailureKind.FORBIDDEN) {
                throw new IOException(e.getMessage(), e);
            }
            LOG.error(
                    "which pods wait for their clique is not shown, use a user with the ClusterRole imex-domains-viewer"
                            + " error=\"{}\"",
                    e.getMessage());
            return reporter.unknownPlacement();
        }
    }

    /** Reads the cluster once. */
    Reporter read() throws IOException, InterruptedException {
        try (ControlPlane cluster = open()) {
            return read(cluster);
        }
    }

    private Reporter read(ControlPlane cluster) throws IOException, InterruptedException {
        ClusterState state = listed(cluster);
        cluster.unread()
                .forEach((resource, objects) -> LOG.error(
                        "{} of {} cannot be read and stand in no list: {}", objects.count(), resource, objects));
        return reporter(cluster, state, nodes(cluster, state));
    }

    private ControlPlane open() {
        // A failing watch is reported once, as the failure of the command.
        Logging.ofCommand(LogLevel.ERROR);
        return open("cli", ApiObserver.NONE);
    }

    private ClusterState listed(ControlPlane cluster) throws IOException, InterruptedException {
        var state = new ClusterState(work -> {});
        state.watch(cluster);
        long startNanos = process.nanoTime().getAsLong();
        long sound = startNanos;
        while (!state.listed() || !state.fabricListed() || !state.testsSettled() || !state.placementsSettled()) {
            long now = process.nanoTime().getAsLong();
            Optional<ApiFailure> failure = cluster.watchFailure();
            if (failure.isEmpty()) {
                sound = now;
            } else if (failure.get().kind().isRefusal() || now - sound > LASTING.toNanos()) {
                throw new IOException(failure.get().message());
            }
            if (now - startNanos > PATIENCE.toNanos()) {
                throw new IOException("the API server did not list ComputeDomains and cliques within "
                        + PATIENCE.toSeconds() + " s; check that it answers, and try again");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        return state;
    }

    /**
     * Reports under the controller's isolation, which the conditions of ComputeDomains show. If none shows it, under
     * the isolation of the configuration, of the tables, or of most nodes, in this order.
     */
    private Reporter reporter(ControlPlane cluster, ClusterState state, Optional<NodeListing> nodes) {
        Optional<Isolation> own = config.imex().isolation();
        Isolation isolation =
                state.ofController().or(() -> own).or(state::isolation).orElse(Isolation.NONE);
        own.filter(set -> set != isolation)
                .ifPresent(set -> LOG.error(
                        "imex.isolation of this configuration is {}, and the controller works under {}: all is shown as"
                                + " the controller sees it; set imex.isolation the same on controllers and nodes",
                        set.text(),
                        isolation.text()));
        return new Reporter(policy(config, isolation), state, nodes, Map.of(), cluster.unread());
    }

    /** The states of the Nodes; empty for a user who may not list Nodes, to whom the rest is shown. */
    private Optional<NodeListing> nodes(ControlPlane cluster, ClusterState state) throws IOException {
        try {
            return Optional.of(
                    NodeListing.of(state, cluster.fabric(), config.controller().rackLabel()));
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.FailureKind.FORBIDDEN) {
                return Optional.empty();
            }
            throw new IOException(e.getMessage(), e);
        }
    }
}
