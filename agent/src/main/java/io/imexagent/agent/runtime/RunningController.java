package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Documents;
import io.imexagent.agent.cli.LocalCluster;
import io.imexagent.agent.cli.Staleness;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.http.PageReply;
import io.imexagent.agent.http.StatusServer;
import io.imexagent.agent.http.StatusServer.StatusPages;
import io.imexagent.agent.metrics.ControllerMetrics;
import io.imexagent.controller.ClusterDocument;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.Controller;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.controller.racks.RacksDocument;
import io.imexagent.controller.racks.RacksPage;
import io.imexagent.core.check.Condition;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.worker.Deadline;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A controller with its pages. Without HostManagedIMEX it does nothing; ComputeDomains are the public controller's. */
final class RunningController implements Lifetime.Part, StatusPages {

    private static final String DOMAINS = "/domains";
    private static final String RACKS = "/racks";
    private static final String RACKS_DATA = "/racks.json";
    private static final Duration RACKS_PAUSE = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(RunningController.class);

    private final AgentConfig config;
    private final ControllerMetrics metrics;
    private final ControlPlane cluster;
    private final Optional<Controller> controller;
    private final Vertx vertx = EventLoop.forPages();
    private final RacksPage page = RacksPage.load();
    private final ThisProcess process;
    private final Staleness staleness;
    private Optional<MadeRacks> made = Optional.empty();
    private volatile CompletableFuture<Integer> listening = CompletableFuture.completedFuture(0);
    private volatile List<String> waiting = List.of();

    RunningController(AgentConfig config, ThisProcess process) {
        this.config = config;
        this.process = process;
        this.staleness = new Staleness(process.clock());
        this.metrics = new ControllerMetrics(process.version(), process.commit());
        // A restarted controller has a new identity: it must not mistake its earlier Lease for a present one.
        String identity = config.nodeName() + "_"
                + Long.toHexString(process.clock().millis()) + "-"
                + ProcessHandle.current().pid();
        this.cluster = LocalCluster.open(config, process, identity, metrics);
        this.controller = config.hostManaged()
                ? Optional.of(new Controller(
                        cluster,
                        LocalCluster.policy(config),
                        identity,
                        process.clock(),
                        process.nanoTime(),
                        process.random(),
                        metrics))
                : Optional.empty();
        controller.ifPresent(
                running -> metrics.show(running, running::fabric, running::proofs, cluster::state, cluster::unread));
    }

    /** Whether the controller does nothing, since HostManagedIMEX is off. */
    boolean idle() {
        return controller.isEmpty();
    }

    /** Sets the keys that have changed in the file, and wait for a restart. */
    void waiting(List<String> keys) {
        waiting = List.copyOf(keys);
    }

    void start() throws IOException, InterruptedException {
        if (controller.isEmpty()) {
            LOG.info("idle until HostManagedIMEX is on: ComputeDomains are left to the public controller");
        }
        controller.ifPresent(Controller::start);
        var server = new StatusServer(
                vertx, config.http().at(config.controller().port()), this, cluster.reviews(), process.inPod());
        listening = server.listen().toCompletionStage().toCompletableFuture();
        StatusServer.await(listening);
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        controller.ifPresent(Controller::close);
        cluster.close();
        EventLoop.close(deadline, List.of(EventLoop.onceEnded(listening, CompletableFuture.completedFuture(vertx))));
    }

    @Override
    public String metrics() {
        return metrics.page();
    }

    @Override
    public List<Condition> liveness() {
        return List.of(new Condition("process", true, "answering"));
    }

    @Override
    public List<Condition> readiness() {
        if (controller.isEmpty()) {
            return List.of(new Condition("idle", true, "HostManagedIMEX is off"));
        }
        Controller running = controller.get();
        Optional<String> stale = stale();
        return List.of(
                new Condition("listed", running.listed(), running.listed() ? "all collections" : "not yet"),
                new Condition("watches", stale.isEmpty(), stale.orElse("all stand")),
                Liveness.ofObjects(cluster.unread()),
                work(running.defects()),
                new Condition(
                        "configuration",
                        true,
                        waiting.isEmpty() ? "in force" : "waits for a restart: " + String.join(", ", waiting)),
                election(
                        running.leads(),
                        running.leader(),
                        running.electionFailure().map(ApiFailure::message)));
    }

    /** Whether threads and work on ComputeDomains continue, without a failure by a defect of this program. */
    static Condition work(List<String> defects) {
        String others = defects.size() > 1 ? "; and " + (defects.size() - 1) + " more" : "";
        return new Condition(
                "work",
                defects.isEmpty(),
                defects.isEmpty()
                        ? "nothing is broken"
                        : "failed by a defect, trying again: " + defects.getFirst() + others);
    }

    /** Whether a leading controller is known; a Lease that is not renewed or cannot be read does not name one. */
    static Condition election(boolean leads, Optional<String> leader, Optional<String> failure) {
        String detail = leader.map(who -> (leads ? "this one leads: " : "led by: ") + who)
                .orElse("no leader is known");
        return new Condition(
                "election",
                leader.isPresent() && failure.isEmpty(),
                detail + failure.map(why -> "; the last attempt failed: " + why).orElse(""));
    }

    @Override
    public List<String> documents() {
        return List.of(DOMAINS, RACKS, RACKS_DATA);
    }

    @Override
    public PageReply document(String path) {
        return switch (path) {
            case RACKS -> PageReply.html(page.html(), page.policy());
            case RACKS_DATA ->
                controller
                        .map(this::racks)
                        .orElseGet(() ->
                                PageReply.text(503, "HostManagedIMEX is off, so this controller looks at nothing\n"));
            default ->
                PageReply.json(Documents.json(
                        process.clock().instant(),
                        ClusterDocument.of(controller.map(Controller::report).orElse(ClusterReport.EMPTY))));
        };
    }

    /** Why and since when a collection cannot be watched; each query of the readiness updates it. */
    private Optional<String> stale() {
        return staleness.update(cluster.watchFailure().map(ApiFailure::message));
    }

    /** The document of the racks, made again after a change, at most every two seconds for all readers together. */
    private synchronized PageReply racks(Controller running) {
        Optional<String> stale = stale();
        Object version = List.of(running.racksVersion(), stale);
        long now = process.nanoTime().getAsLong();
        made = made.filter(racks -> racks.version().equals(version) || now - racks.at() < RACKS_PAUSE.toNanos())
                .or(() -> running.racks()
                        .map(fabric -> RacksDocument.of(
                                RackReport.of(fabric, stale),
                                config.controller().links()))
                        .map(document -> new MadeRacks(
                                version,
                                now,
                                PageReply.polled(
                                        document.toString(),
                                        Documents.dated(process.clock().instant(), document)
                                                .toString()))));
        return made.map(MadeRacks::reply)
                .orElseGet(() -> PageReply.text(
                        503, "Retry-After", "1", "the controller has not listed the nodes yet; /readyz says why\n"));
    }

    /** The document of the racks, the version of its content, and the monotonic time in ns of its making. */
    private record MadeRacks(Object version, long at, PageReply reply) {}

    @Override
    public String portKey() {
        return "controller.port";
    }
}
