package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.imexagent.core.check.Condition;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.kubelet.RegistrySockets.Socket;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Loop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kubelet's services: the node service (v1 and v1beta1) and device health (v1 and v1alpha1) on one Unix socket,
 * registration on another. The registration socket is created last and removed first, since the kubelet calls as soon
 * as it appears. Handlers run on one Vert.x context; the methods of this class block, and must not be called on an
 * event loop. A removed socket file is created again.
 */
public final class DraServer {

    private static final Logger LOG = LoggerFactory.getLogger(DraServer.class);

    /** The time for the event loop to close connections whose calls were cut off. */
    private static final Duration CLOSING = Duration.ofMillis(200);

    private final DraSettings settings;
    private final RegistrySockets plugins;
    private final ContextInternal context;
    private final DraObserver observer;
    private final Runnable kubeletCame;
    private final LongSupplier nanoTime;
    private final RegistrationService registration;
    private final HealthService health;
    private final SocketServer node;
    private final SocketServer registry;
    private final OtherPlugins others;
    private final Loop watch = Loop.of("dra-sockets", this::watch);
    private final ReentrantLock sockets = new ReentrantLock();
    private boolean stopped;

    /**
     * Services that do not listen yet, on a Vert.x with the native transport. {@code kubeletCame} runs when a kubelet
     * may be new: it registers the plugin, or the directory of the sockets was replaced.
     */
    public DraServer(
            DraSettings settings,
            RegistrySockets plugins,
            Vertx vertx,
            ClaimPreparer preparer,
            DeviceHealthSource devices,
            DraObserver observer,
            Runnable kubeletCame,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.settings = settings;
        this.plugins = plugins;
        this.observer = observer;
        this.kubeletCame = kubeletCame;
        this.nanoTime = nanoTime;
        this.context = context(vertx);
        this.registration =
                new RegistrationService(settings.driver(), settings.draSocket(), clock, observer, kubeletCame);
        this.health = new HealthService(devices, settings.healthTimeout(), context, clock, observer);
        List<BindableService> services =
                List.of(NodePlugin.v1(preparer), NodePlugin.v1beta1(preparer), health, HealthService.v1alpha1(health));
        this.node = new SocketServer(settings, settings.draSocket(), services, context, observer);
        this.registry =
                new SocketServer(settings, settings.registrationSocket(), List.of(registration), context, observer);
        this.others = new OtherPlugins(settings.driver(), plugins, registry.file(), clock);
    }

    /**
     * Listens: first the node service, then registration. Fails where a socket cannot be had, or another plugin of the
     * driver runs, and says what to do.
     */
    public void start() throws IOException, InterruptedException {
        try {
            refuseNamed();
            locked(() -> {
                node.start();
                health.start();
                registry.start();
                watch.start();
                LOG.info(
                        "listening for the kubelet node={} registration={}",
                        settings.draSocket(),
                        settings.registrationSocket());
            });
        } catch (IOException | RuntimeException | InterruptedException failure) {
            stop(CLOSING);
            throw failure;
        }
    }

    /** The state of the registration with the kubelet. Never blocks. */
    public RegistrationState registration() {
        return registration.state();
    }

    /** Whether this is the only plugin of the driver, for readiness. Never blocks. */
    public Condition alone() {
        return others.condition();
    }

    /**
     * Removes the registration socket, and accepts no more calls. May be called while {@link #start} runs, and
     * repeatedly.
     */
    public void withdraw() throws InterruptedException {
        watch.close();
        locked(() -> {
            stopped = true;
            registry.removeFile();
            registry.shutdown();
            health.stop();
            node.shutdown();
        });
    }

    /**
     * Waits at most this long for running calls, cuts off the others, and removes the socket. Called after {@link
     * #withdraw}.
     */
    public void drain(Duration atMost) throws InterruptedException {
        var end = Deadline.in(atMost, nanoTime);
        sockets.lockInterruptibly();
        try {
            if (!finished(end.leaving(CLOSING))) {
                LOG.warn("calls of the kubelet were cut off, the kubelet repeats them waited={}ms", atMost.toMillis());
            }
            finished(end);
        } finally {
            sockets.unlock();
        }
    }

    private boolean finished(Deadline deadline) throws InterruptedException {
        try {
            boolean nodeFinished = node.awaitEnd(deadline);
            boolean registryFinished = registry.awaitEnd(deadline);
            return nodeFinished && registryFinished;
        } finally {
            node.abort();
            registry.abort();
            node.removeFile();
        }
    }

    public void stop(Duration atMost) throws InterruptedException {
        withdraw();
        drain(atMost);
    }

    private Duration watch() throws InterruptedException {
        locked(this::check);
        others.look();
        return settings.socketCheck();
    }

    private void check() {
        try {
            boolean nodeLost = !node.file().isOurs();
            if (!nodeLost && registry.file().isOurs()) {
                return;
            }
            if (nodeLost) {
                registry.file().remove();
                node.start();
                LOG.warn("a socket that was gone is there again path={}", settings.draSocket());
            }
            registry.start();
            LOG.warn("a socket that was gone is there again path={}", settings.registrationSocket());
            registration.begin();
            kubeletCame.run();
            observer.socketRestored();
        } catch (IOException failure) {
            registration.lost(String.valueOf(failure.getMessage()));
        } catch (RuntimeException defect) {
            // Caught here, so that the checks of the sockets go on.
            LOG.error("the sockets could not be checked, trying again", defect);
        }
    }

    /**
     * Fails with the remedy if another plugin of the driver listens, under whatever name: two plugins would prepare the
     * same claims over the same checkpoint. Called before any claim is touched. Blocks for some seconds at most.
     */
    public static void refuseOthers(String driver, RegistrySockets plugins) throws IOException, InterruptedException {
        Optional<Path> other = otherPlugin(driver, plugins);
        if (other.isPresent()) {
            throw SocketFile.inUse(other.get());
        }
    }

    /** The socket of another listening plugin of the driver; fails if the sockets cannot be listed in time. */
    public static Optional<Path> otherPlugin(String driver, RegistrySockets plugins)
            throws IOException, InterruptedException {
        return plugins.plugin(driver, plugins.list(driver), Optional.empty(), true)
                .map(Socket::path);
    }

    /**
     * Fails if a plugin listens on a socket that is named for the driver. It is faster than {@link #refuseOthers};
     * plugins under other names are found while the agent serves.
     */
    private void refuseNamed() throws IOException, InterruptedException {
        for (Socket plugin : plugins.list(settings.driver()).sockets()) {
            if (RegistrySockets.isNamedFor(settings.driver(), plugin.path()) && SocketFile.listening(plugin.path())) {
                throw SocketFile.inUse(plugin.path());
            }
        }
    }

    private <X extends Exception> void locked(ServerStep<X> step) throws X, InterruptedException {
        sockets.lockInterruptibly();
        try {
            if (!stopped) {
                step.run();
            }
        } finally {
            sockets.unlock();
        }
    }

    private static ContextInternal context(Vertx vertx) {
        ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
        if (!(context.nettyEventLoop() instanceof IoEventLoop loop) || !loop.isIoType(EpollIoHandler.class)) {
            throw new IllegalStateException("Vert.x runs without the native epoll transport, which Unix sockets need: "
                    + vertx.unavailableNativeTransportCause());
        }
        return context;
    }

    @FunctionalInterface
    private interface ServerStep<X extends Exception> {
        void run() throws X;
    }
}
