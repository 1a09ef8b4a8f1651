package io.imexagent.dra.driver;

import io.imexagent.core.check.Condition;
import io.imexagent.core.ledger.BootId;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.driver.SlicePublisher.PublicationObserver;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.kubelet.RegistrySockets;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.host.Posix;
import io.imexagent.worker.Deadline;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A DRA driver with its claims, sockets and slices; drivers share nothing but the process. */
public final class ServedDriver {

    /** At a stop, a claim still in progress this long before the deadline is abandoned, and its call is answered. */
    private static final Duration BREAK_OFF = Duration.ofMillis(1200);

    /** At a stop, calls of the kubelet are cut off this long before the deadline. */
    private static final Duration CUT_OFF = Duration.ofMillis(600);

    private static final Logger LOG = LoggerFactory.getLogger(ServedDriver.class);

    private final DriverClaims<?> claims;
    private final DraSettings settings;
    private final RegistrySockets plugins;
    private final SlicePublisher publisher;
    private final DeviceHealthSource health;
    private final DriverObserver observer;
    private volatile Optional<DraServer> dra = Optional.empty();

    public ServedDriver(
            DriverClaims<?> claims,
            DraSettings settings,
            RegistrySockets plugins,
            SlicePublisher publisher,
            DeviceHealthSource health,
            DriverObserver observer) {
        this.claims = claims;
        this.settings = settings;
        this.plugins = plugins;
        this.publisher = publisher;
        this.health = health;
        this.observer = observer;
    }

    /** Fails if another plugin of the driver runs. Called before any claim is touched. */
    public void refuseOthers() throws IOException, InterruptedException {
        DraServer.refuseOthers(settings.driver(), plugins);
    }

    /** Recovers the claims of the agent's last run; fails with the remedy if the agent must not serve on this node. */
    public RecoveryResult.RecoveryDone recover(Optional<BootId> boot) throws IOException, InterruptedException {
        return switch (claims.recover(boot)) {
            case RecoveryResult.RecoveryRefused refused -> throw new IOException(refused.reason());
            case RecoveryResult.RecoveryDone ready -> {
                LOG.debug(
                        "claims ready driver={} count={}",
                        settings.driver(),
                        ready.ledger().entries().size());
                yield ready;
            }
        };
    }

    /** Publishes devices and listens for the kubelet, once recovered. */
    public void serve(Vertx vertx) throws IOException, InterruptedException {
        claims.start();
        publisher.start();
        ClaimHost host = claims.host();
        var server = new DraServer(
                settings,
                plugins,
                vertx,
                claims.service(),
                health,
                observer,
                claims::kubeletCame,
                host.clock(),
                host.nanoTime());
        dra = Optional.of(server);
        server.start();
        // A recovery that wrote files has loaded the library; otherwise the first claim would load it.
        Posix.preload();
        observer.show(publisher::state, server::registration);
        claims.watch();
    }

    public DriverClaims<?> claims() {
        return claims;
    }

    /** Publishes again where that is due. */
    public void wake() {
        publisher.wake();
    }

    public List<Condition> conditions() {
        List<Condition> kubelet = dra.map(
                        server -> List.of(server.registration().condition(), server.alone()))
                .orElseGet(() -> List.of(new Condition("registered", false, "the sockets do not listen yet")));
        return Stream.concat(kubelet.stream(), Stream.of(publisher.state().condition(), claims.filesCondition()))
                .toList();
    }

    public RegistrationState registration() {
        return dra.map(DraServer::registration).orElseGet(RegistrationState.RegistrationPending::new);
    }

    /**
     * Unregisters the plugin, then answers the waiting claims and waits for the one in progress, then leaves time for
     * the answers to be sent.
     */
    public void stop(Deadline deadline) throws InterruptedException {
        claims.leaveAlone();
        publisher.close();
        if (dra.isPresent()) {
            dra.get().withdraw();
        }
        claims.stop(deadline.leaving(BREAK_OFF).left());
        if (dra.isPresent()) {
            dra.get().drain(deadline.leaving(CUT_OFF).left());
        }
        claims.close();
    }

    /** Observes all that a driver does, for metrics. */
    public interface DriverObserver extends PrepareObserver, PublicationObserver, DraObserver {

        /** A driver serves; the suppliers return the current state of its publication and its registration. */
        void show(Supplier<PublicationState> published, Supplier<RegistrationState> registered);
    }
}
