package io.imexagent.e2e.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.DraSettings.PeerPolicy;
import io.imexagent.dra.kubelet.RegistrySockets;
import io.imexagent.kubernetes.DriverNames;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The agent's services with canned claims behind them. */
final class ServedPlugin implements ClaimPreparer, DeviceHealthSource, AutoCloseable {

    static final String REFUSED_UID = "uid-refused";
    static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    private final Path root;
    private final AtomicInteger prepares = new AtomicInteger();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private final RegistrySockets plugins;
    private final DraServer server;
    private volatile DeviceHealth health =
            new DeviceHealth("node-1", "channel-0", DeviceHealth.HealthStatus.HEALTHY, "");
    private volatile boolean hanging;

    private ServedPlugin(Path root) throws IOException {
        this.root = root;
        var peers = new PeerPolicy(Set.of((Integer) Files.getAttribute(root, "unix:uid")));
        var settings = new DraSettings(root, DriverNames.DRIVER, peers, Duration.ofSeconds(60), Duration.ofMillis(20));
        plugins = new RegistrySockets(root);
        server = new DraServer(
                settings,
                plugins,
                vertx,
                this,
                this,
                new DraObserver() {},
                () -> {},
                Clock.fixed(NOW, ZoneOffset.UTC),
                System::nanoTime);
    }

    static ServedPlugin in(Path root) throws IOException, InterruptedException {
        var plugin = new ServedPlugin(root);
        plugin.server.start();
        return plugin;
    }

    DraServer server() {
        return server;
    }

    AtomicInteger prepares() {
        return prepares;
    }

    Path registrationSocket() {
        return root.resolve("plugins_registry").resolve(DriverNames.DRIVER + "-reg.sock");
    }

    Path draSocket() {
        return root.resolve("plugins").resolve(DriverNames.DRIVER).resolve("dra.sock");
    }

    void becomeUnhealthy(String message) {
        health = new DeviceHealth("node-1", "channel-0", DeviceHealth.HealthStatus.UNHEALTHY, message);
        listeners.forEach(Runnable::run);
    }

    /** Leaves prepares without an answer. */
    void hang() {
        hanging = true;
    }

    @Override
    public Supplier<Map<String, Outcome<Prepared>>> prepare(List<ClaimRequest> claims, Duration remaining) {
        prepares.incrementAndGet();
        var device = new PreparedDevice.ReturnedDevice(
                List.of("channel"), "node-1", "channel-0", List.of("id"), Optional.of("share"));
        var answers = new HashMap<String, Outcome<Prepared>>();
        claims.forEach(claim -> answers.put(
                claim.uid(),
                claim.uid().equals(REFUSED_UID)
                        ? Outcome.refused(new Refusal(RefusalCode.NOT_ALLOCATED, "not today"))
                        : Outcome.accepted(new Prepared(List.of(device)))));
        return () -> {
            if (hanging) {
                LockSupport.park();
            }
            return answers;
        };
    }

    @Override
    public Supplier<Map<String, Outcome<Unprepared>>> unprepare(List<ClaimRequest> claims) {
        var answers = new HashMap<String, Outcome<Unprepared>>();
        claims.forEach(claim -> answers.put(
                claim.uid(),
                claim.uid().equals(REFUSED_UID)
                        ? Outcome.refused(new Refusal(RefusalCode.EFFECT_FAILED, "disk full"))
                        : Outcome.accepted(new Unprepared())));
        return () -> {
            if (hanging) {
                LockSupport.park();
            }
            return answers;
        };
    }

    @Override
    public List<DeviceHealth> current() {
        return List.of(health);
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        try {
            server.stop(Duration.ofSeconds(5));
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        } finally {
            plugins.close();
            vertx.close()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        }
    }
}
