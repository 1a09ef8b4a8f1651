package io.imexagent.rdma.rails;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealth.HealthStatus;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.rdma.rails.PublishedRails.PublishedRail;
import io.imexagent.rdma.rails.PublishedRails.PublishedRail.RailState;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rails that the node publishes, with their states. A change of the view, the claims or the settings must be
 * followed by {@link #update}. Safe for any thread; never blocks.
 */
public final class RailTracker implements DeviceHealthSource {

    private static final Logger LOG = LoggerFactory.getLogger(RailTracker.class);

    private final Supplier<Optional<RdmaView>> view;
    private final Supplier<Ledger> ledger;
    private final Supplier<RdmaSettings> settings;
    private final String pool;
    private final InstantSource clock;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Optional<PublishedRails> published = Optional.empty();

    /** A tracker without rails; the pool of the rails is the name of the node. */
    public RailTracker(
            Supplier<Optional<RdmaView>> view,
            Supplier<Ledger> ledger,
            Supplier<RdmaSettings> settings,
            String pool,
            InstantSource clock) {
        this.view = view;
        this.ledger = ledger;
        this.settings = settings;
        this.pool = pool;
        this.clock = clock;
    }

    /** Reads view, claims and settings again; returns the time until the next pending change takes effect. */
    public Duration update() {
        if (take()) {
            listeners.forEach(Runnable::run);
        }
        return published
                .flatMap(present -> present.due(settings.get()))
                .map(due -> Duration.between(clock.instant(), due))
                .map(pause -> pause.isNegative() ? Duration.ZERO : pause)
                .orElse(Signal.UNTIL_RAISED);
    }

    private synchronized boolean take() {
        Optional<RdmaView> present = view.get();
        if (present.isEmpty()) {
            return false;
        }
        PublishedRails before = published.orElse(PublishedRails.EMPTY);
        PublishedRails after = before.updated(present.get(), held(ledger.get()), settings.get(), clock.instant());
        boolean news = published.isEmpty() || !after.equals(before);
        published = Optional.of(after);
        after.rails().forEach((name, rail) -> log(name, before.rails(), rail));
        return news;
    }

    private static void log(String name, Map<String, PublishedRail> before, PublishedRail rail) {
        Optional<RailState> was = Optional.ofNullable(before.get(name)).map(PublishedRail::settled);
        if (was.isPresent() && !was.get().getClass().equals(rail.settled().getClass())) {
            switch (rail.settled()) {
                case RailState.RailUp _ -> LOG.info("rail is up again device={}", name);
                case RailState.RailDown(String cause, String reason) ->
                    LOG.warn("rail is down device={} cause={} reason=\"{}\"", name, cause, reason);
                case RailState.RailWithdrawn(String reason) ->
                    LOG.warn("rail stays published for its claim only device={} reason=\"{}\"", name, reason);
            }
        }
    }

    /** The devices that are allocated to claims, as far as the node knows. */
    private static Set<String> held(Ledger claims) {
        return claims.entries().values().stream()
                .filter(entry -> !(entry instanceof ClaimEntry.Aborted))
                .flatMap(entry -> entry.status().allocation().stream())
                .flatMap(allocation -> allocation.resultsOf(RailDriver.NAME).stream())
                .map(AllocatedDevice::device)
                .collect(Collectors.toSet());
    }

    /** The number of published rails with this {@link RailState#text} that are held by claims, or by none. */
    public long count(String state, boolean held) {
        Set<String> holders = held(ledger.get());
        return published.orElse(PublishedRails.EMPTY).rails().entrySet().stream()
                .filter(rail -> rail.getValue().settled().text().equals(state))
                .filter(rail -> holders.contains(rail.getKey()) == held)
                .count();
    }

    public DesiredPool wanted() {
        Optional<PublishedRails> present = published;
        if (present.isEmpty()) {
            return new DesiredPool.Keep(new Finding(
                    "rails-not-read",
                    Severity.INFO,
                    "publication of RDMA NICs stays as it is: they have not been read yet",
                    "wait for the first reading; see imex-agent rdma check where it takes more than seconds"));
        }
        RdmaSettings rails = settings.get();
        List<Device> devices = present.get().devices(rails);
        return rails.taint()
                ? new DesiredPool.Publish(pool, devices, Device.MOST_PER_TAINTED_SLICE, List.of())
                : new DesiredPool.Publish(pool, devices);
    }

    @Override
    public List<DeviceHealth> current() {
        return published.orElse(PublishedRails.EMPTY).rails().values().stream()
                .map(rail -> health(pool, rail))
                .toList();
    }

    private static DeviceHealth health(String pool, PublishedRail rail) {
        String name = rail.device().name();
        return switch (rail.settled()) {
            case RailState.RailUp _ -> new DeviceHealth(pool, name, HealthStatus.HEALTHY, "");
            case RailState.RailDown(String _, String reason) ->
                new DeviceHealth(pool, name, HealthStatus.UNHEALTHY, reason);
            case RailState.RailWithdrawn(String reason) ->
                new DeviceHealth(pool, name, HealthStatus.HEALTHY, "not offered to other pods: " + reason);
        };
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }
}
