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

    /** At a stop, the calls of the kubelet end this long before everything does. */
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

    /** Refuses to go on beside another plugin of the driver; to be asked before anything is done to claims. */
    public void refuseOthers() throws IOException, InterruptedException {
        DraServer.refuseOthers(settings.driver(), plugins);
    }

    /** Brings the claims of the last life in order; fails where the agent must not serve here, and says what to do. */
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

    /** Publishes devices and listens for the kubelet, once recovered; {@code warmUp} loads what a first claim needs. */
    public void serve(Vertx vertx, Runnable warmUp) throws IOException, InterruptedException {
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
        server.start(warmUp);
        // A recovery that wrote has loaded it; otherwise the first claim is the first to need it.
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
     * First the kubelet learns that the plugin is gone, then the claims that wait are answered and the one in work is
     * let end, then those answers have time to get out.
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

    /** Hears of all that a driver does, for metrics. */
    public interface DriverObserver extends PrepareObserver, PublicationObserver, DraObserver {

        /** A driver serves: how far its publication and its registration have come can be asked from now on. */
        void show(Supplier<PublicationState> published, Supplier<RegistrationState> registered);
    }
}
