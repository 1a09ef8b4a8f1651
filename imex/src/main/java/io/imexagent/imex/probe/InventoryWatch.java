package io.imexagent.imex.probe;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.worker.WatchLoop;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the inventory current: reads the node at an interval and on demand, and notifies listeners of every change. A
 * driver that loads late, a fabric that registers minutes after boot and a change of the clique therefore need no
 * restart.
 */
public final class InventoryWatch extends WatchLoop<NodeInventory> implements InventorySource {

    /** The longest time between readings while a driver loads or a fabric registers. */
    private static final Duration UNSETTLED = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(InventoryWatch.class);

    private final InventoryReader reader;
    private final Supplier<Duration> interval;
    private final LongSupplier nanoTime;
    private final CountDownLatch firstReading = new CountDownLatch(1);
    private volatile long readAt;

    /** Creates a watch that starts with this inventory; the time between two readings may change at any time. */
    public InventoryWatch(
            InventoryReader reader, NodeInventory first, Supplier<Duration> interval, LongSupplier nanoTime) {
        super("inventory", "inventory", first);
        this.reader = reader;
        this.interval = interval;
        this.nanoTime = nanoTime;
        this.readAt = nanoTime.getAsLong();
    }

    /** Waits until the node has been read once, at most for the deadlines of NVML and the host's files. */
    public void awaitFirstReading() throws InterruptedException {
        firstReading.await();
    }

    /**
     * The time since the last reading, by the monotonic clock, so that a changed clock does not make the agent look
     * dead.
     */
    public Duration age() {
        return Duration.ofNanos(nanoTime.getAsLong() - readAt);
    }

    @Override
    protected Duration turn() throws InterruptedException {
        try {
            NodeInventory inventory = reader.read();
            readAt = nanoTime.getAsLong();
            if (!inventory.hasSameContentAs(show(inventory))) {
                log(inventory);
                changed();
            }
        } catch (RuntimeException defect) {
            LOG.error("the node could not be read, the last inventory stays", defect);
        }
        firstReading.countDown();
        return pause();
    }

    private Duration pause() {
        NodeInventory inventory = current();
        boolean settled = inventory.channelMajor() instanceof ChannelMajor.RegisteredMajor
                && (inventory.clique() instanceof CliqueState.KnownClique
                        || inventory.clique() instanceof CliqueState.NoClique);
        Duration requested = interval.get();
        return settled || requested.compareTo(UNSETTLED) < 0 ? requested : UNSETTLED;
    }

    private static boolean isErrorOfGpus(Finding finding) {
        return finding.severity() == Severity.CRITICAL
                && (finding.code().startsWith("gpu-") || finding.code().startsWith("fabric-"));
    }

    private static void log(NodeInventory inventory) {
        Optional<String> unclear =
                inventory.driver().why().or(() -> inventory.clique().why());
        List<String> reasons = Stream.of(
                        unclear.stream(),
                        inventory.channelMajor().why().stream(),
                        inventory.findings().stream()
                                .filter(finding -> unclear.isEmpty() && isErrorOfGpus(finding))
                                .map(Finding::message))
                .flatMap(reason -> reason)
                .toList();
        LOG.info(
                "inventory changed gpus={} clique={} major={} findings={}{}",
                inventory.gpus().size(),
                inventory.clique().text(),
                inventory.channelMajor().text(),
                inventory.findings().size(),
                reasons.isEmpty() ? "" : " reason=\"" + String.join("; ", reasons) + "\"");
    }
}
