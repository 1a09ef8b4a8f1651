package io.imexagent.rdma.watch;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.WatchLoop;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the view current; it is empty before the first reading. Reads the host at an interval and on demand, logs
 * dropped NICs, and calls listeners with each view that differs or has other settings.
 */
public final class RdmaWatch extends WatchLoop<Optional<RdmaView>> {

    private static final Logger LOG = LoggerFactory.getLogger(RdmaWatch.class);

    private final RdmaProbe probe;
    private final BoundedCall<RdmaView> readings;
    private final InstantSource clock;
    private final Supplier<List<Gpu>> gpus;
    private final Supplier<KnownAddresses> nodeAddresses;
    private final Supplier<RdmaSettings> settings;
    private final Supplier<Duration> interval;
    private final RdmaObserver observer;
    private final LongSupplier nanoTime;
    private Map<String, String> logged = Map.of();

    /**
     * A watch that has not read yet. It calls the suppliers at each reading; that of the addresses may wait briefly.
     */
    public RdmaWatch(
            HostFiles files,
            BoundedCall<RdmaView> readings,
            InstantSource clock,
            Supplier<List<Gpu>> gpus,
            Supplier<KnownAddresses> nodeAddresses,
            Supplier<RdmaSettings> settings,
            Supplier<Duration> interval,
            RdmaObserver observer,
            LongSupplier nanoTime) {
        super("rdma", "rdma devices", Optional.empty());
        this.probe = new RdmaProbe(files);
        this.readings = readings;
        this.clock = clock;
        this.gpus = gpus;
        this.nodeAddresses = nodeAddresses;
        this.settings = settings;
        this.interval = interval;
        this.observer = observer;
        this.nanoTime = nanoTime;
    }

    public KnownAddresses nodeAddresses() {
        return nodeAddresses.get();
    }

    /** The settings for the next reading. */
    public RdmaSettings settings() {
        return settings.get();
    }

    @Override
    protected Duration turn() throws InterruptedException {
        long begin = nanoTime.getAsLong();
        try {
            RdmaSettings present = settings.get();
            Optional<RdmaView> view =
                    readings.result(() -> RdmaView.read(probe, clock, gpus.get(), nodeAddresses.get(), present));
            if (view.isEmpty()) {
                unread("files below /sys do not answer; look at the kernel log for hung tasks");
            } else {
                observer.read(view.get(), Duration.ofNanos(nanoTime.getAsLong() - begin));
                take(view.get());
            }
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof IOException) {
                unread(Worker.reason(failure));
            } else {
                observer.failed();
                LOG.error("rdma devices could not be read, the last reading stays", failure.getCause());
            }
        }
        return interval.get();
    }

    private void unread(String reason) {
        observer.failed();
        LOG.warn("rdma devices could not be read, the last reading stays reason=\"{}\"", reason);
    }

    private void take(RdmaView view) {
        Optional<RdmaView> before = show(Optional.of(view));
        boolean sameView = before.filter(view::hasSameContentAs).isPresent();
        if (sameView && before.map(RdmaView::settings).equals(Optional.of(view.settings()))) {
            return;
        }
        if (!sameView) {
            LOG.info(
                    "rdma devices changed nics={} rails={} ncclIbHca={}",
                    view.inventory().nics().size(),
                    view.selection().rails().size(),
                    Rail.ncclIbHca(view.selection().rails()).orElse("-"));
            log(view);
        }
        changed();
    }

    /** Logs dropped NICs with their reasons, and findings, that are new since the last time. */
    private void log(RdmaView view) {
        Map<String, String> now = new HashMap<>();
        for (NicVerdict verdict : view.selection().dropped()) {
            Choice.DroppedNic dropped = verdict.dropped().orElseThrow();
            String nic = verdict.reading().label();
            now.put(nic, dropped.reason());
            if (!dropped.reason().equals(logged.get(nic))) {
                LOG.info(
                        "rdma device not offered device={} class={} rule={} reason=\"{}\"",
                        nic,
                        verdict.nicClass().text(),
                        dropped.rule().text(),
                        dropped.reason());
            }
        }
        for (Finding finding : view.selection().findings()) {
            String key = finding.code() + " " + finding.message();
            now.put(key, "");
            if (!logged.containsKey(key) && finding.severity() != Severity.INFO) {
                LOG.warn("{} code={} remedy=\"{}\"", finding.message(), finding.code(), finding.remedy());
            }
        }
        logged = now;
    }

    /** Observes the readings, for metrics. */
    public interface RdmaObserver {

        default void read(RdmaView view, Duration took) {}

        /** The host could not be read; the view stays as it was. */
        default void failed() {}
    }
}
