package io.imexagent.dra.kubelet;

import io.imexagent.dra.fake.GuardedVertx;
import io.imexagent.dra.kubelet.DraSettings.PeerPolicy;
import io.imexagent.kubernetes.DriverNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A server with fakes around it, in a kubelet root of its own. */
final class RunningServer implements AutoCloseable {

    static final Instant NOW = Instant.parse("2026-11-21T10:00:00.7Z");

    final GuardedVertx vertx = new GuardedVertx();
    final FakeClaimPreparer preparer = new FakeClaimPreparer();
    final FakeDevices devices = new FakeDevices();
    final RecordingDraObserver observer = new RecordingDraObserver();
    final AtomicInteger kubelets = new AtomicInteger();
    final DraSettings settings;
    final RegistrySockets plugins;
    final DraServer server;
    volatile Instant now = NOW;

    private RunningServer(DraSettings settings) {
        this.settings = settings;
        this.plugins = new RegistrySockets(settings.kubeletRoot());
        this.server = new DraServer(
                settings,
                plugins,
                vertx.vertx(),
                preparer,
                devices,
                observer,
                kubelets::incrementAndGet,
                ((InstantSource) () -> now).withZone(ZoneOffset.UTC),
                System::nanoTime);
    }

    /** Not started yet. */
    static RunningServer prepared(DraSettings settings) {
        return new RunningServer(settings);
    }

    static RunningServer in(Path root) throws Exception {
        return with(settings(root));
    }

    static RunningServer with(DraSettings settings) throws Exception {
        var running = new RunningServer(settings);
        try {
            running.server.start();
        } catch (Exception failure) {
            running.close();
            throw failure;
        }
        return running;
    }

    /** Settings that let this process connect. */
    static DraSettings settings(Path root) throws IOException {
        return new DraSettings(
                root,
                DriverNames.DRIVER,
                new PeerPolicy(Set.of(me(root))),
                Duration.ofSeconds(1),
                Duration.ofMillis(20));
    }

    /** The user of this process. */
    static int me(Path root) throws IOException {
        return (Integer) Files.getAttribute(root, "unix:uid");
    }

    SocketClient node() {
        return new SocketClient(settings.draSocket());
    }

    SocketClient registry() {
        return new SocketClient(settings.registrationSocket());
    }

    @Override
    public void close() {
        try {
            server.stop(Duration.ofSeconds(5));
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        } finally {
            vertx.close();
            plugins.close();
        }
    }
}
