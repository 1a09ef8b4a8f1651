package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.LocalHost;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.http.HttpSettings;
import io.imexagent.agent.http.StatusServer;
import io.imexagent.agent.http.StatusServer.StatusPages;
import io.imexagent.agent.metrics.AgentMetrics;
import io.imexagent.core.check.Condition;
import io.imexagent.dra.kubelet.RegistrySockets;
import io.imexagent.imex.gate.GateFindings;
import io.imexagent.imex.probe.InventoryReader;
import io.imexagent.imex.probe.InventoryWatch;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.http.HttpKubernetesApi;
import io.imexagent.nvml.Nvml;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The common parts of all agents: readings of the node, the API server, metrics, the HTTP server. Changes nothing. */
final class NodeObserver implements Lifetime.Part {

    private static final Duration GREET_AGAIN = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(NodeObserver.class);

    final Supplier<AgentConfig> config;

    final ThisProcess process;
    final AgentMetrics metrics;

    /** NVML, called on the worker and on the thread that waits for its events. */
    final Nvml driver;

    final InventoryWatch inventory;
    final KubernetesApi api;

    /** The API server under the identity that reports devices of claims; empty if none is configured. */
    private final Optional<HttpKubernetesApi> reporting;

    /** The plugins that register with the kubelet; each driver searches them for others of the same name. */
    final RegistrySockets plugins;

    private final Worker nvml;
    private final Worker files;

    /** The Vert.x of the kubelet's calls, which may still be starting. */
    final CompletableFuture<Vertx> vertx;

    private final CompletableFuture<Vertx> pagesVertx;
    private final Loop greeting = Loop.of("api-greeting", this::greet);
    private String greetingFailure = "";
    private CompletableFuture<Integer> listening = CompletableFuture.completedFuture(0);

    /** Reads the host's files once, under their deadline. */
    NodeObserver(Supplier<AgentConfig> config, ThisProcess process, CompletableFuture<Vertx> vertx)
            throws InterruptedException {
        this.config = config;
        this.process = process;
        AgentConfig first = config.get();
        this.vertx = vertx;
        // Created after the kubelet's, which loads the classes and libraries of both.
        this.pagesVertx = vertx.thenApply(other -> EventLoop.forPages());
        this.metrics = new AgentMetrics(first, process.version(), process.commit(), process.clock());
        this.driver = LocalHost.nvml(first.host(), first.nvml(), process, true);
        // One call at a time: see BoundedCall.
        this.nvml = new Worker("nvml", 1, metrics, process.nanoTime());
        this.files = new Worker("host-files", 1, metrics, process.nanoTime());
        var reader = new InventoryReader(
                first.host().root(),
                driver,
                nvml,
                files,
                first.nvml().deadline(),
                process.clock(),
                new GateFindings(first.host().root(), () -> config.get().imex().service())::of);
        this.inventory = new InventoryWatch(
                reader, reader.withoutNvml(), () -> config.get().inventoryInterval(), process.nanoTime());
        this.api = process.api(first, "imex-agent/" + process.version(), metrics);
        this.plugins = new RegistrySockets(first.kubelet().root());
        this.reporting = process.reportingApi(first, "imex-agent/" + process.version(), metrics);
    }

    /** The destination of reports of claims' devices; empty if they are not reported. */
    Optional<DeviceReports> reports() {
        return reporting.map(HttpKubernetesApi::deviceReports);
    }

    void start() {
        greeting.start();
        inventory.start();
        metrics.observe(inventory, inventory::age, () -> config.get().inventoryInterval(), api);
        metrics.show(nvml);
        metrics.show(files);
    }

    void listen(StatusPages pages) {
        HttpSettings http = config.get().http();
        listening =
                pagesVertx.thenCompose(running -> new StatusServer(running, http, pages, api.reviews(), process.inPod())
                        .listen()
                        .toCompletionStage());
    }

    /** Waits until the HTTP server listens; a failure states the remedy. */
    void awaitListening() throws IOException, InterruptedException {
        StatusServer.await(listening);
    }

    /** The Vert.x of the kubelet's calls, once it runs; an interrupt ends the wait. */
    Vertx runningVertx() throws InterruptedException {
        try {
            return vertx.get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException("Vert.x could not start", failure.getCause());
        }
    }

    Condition reading() {
        return Liveness.ofReadings(
                inventory.age(),
                config.get().inventoryInterval(),
                inventory.current().findings().size());
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        greeting.close();
        inventory.close();
        api.close();
        reporting.ifPresent(HttpKubernetesApi::close);
        plugins.close();
        nvml.close();
        files.close();
        // Also closes the servers.
        EventLoop.close(deadline, List.of(EventLoop.onceEnded(listening, pagesVertx), vertx));
    }

    /** Calls the API server until it responds, which also opens the connection for the first claim. */
    private Duration greet() {
        try {
            LOG.info("API server answers version={}", api.verify());
            return Signal.UNTIL_RAISED;
        } catch (ApiException failure) {
            if (Thread.currentThread().isInterrupted()) {
                // The agent is ending, and closed the connection itself.
                return Signal.UNTIL_RAISED;
            }
            String kind = failure.failure().kind().label();
            if (!kind.equals(greetingFailure)) {
                LOG.warn(
                        "API server not usable, trying again kind={} reason=\"{}\"",
                        kind,
                        failure.failure().message());
            }
            greetingFailure = kind;
            return GREET_AGAIN;
        }
    }
}
