package io.imexagent.systemd;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Feeds the watchdog of the service manager (sd_watchdog_enabled(3)) while the service reports progress. If the service
 * reports none, or does not respond, the watchdog is not fed, and the manager ends the service at the time limit.
 */
public final class Watchdog implements AutoCloseable {

    private final ServiceManager manager;
    private final BooleanSupplier progress;
    private final Duration period;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Watchdog(ServiceManager manager, BooleanSupplier progress, Duration period) {
        this.manager = manager;
        this.progress = progress;
        this.period = period;
    }

    /**
     * How long the manager waits for a keep-alive message; empty if it has no watchdog for this process. In the
     * environment of this process, {@code WATCHDOG_USEC} is in microseconds, and {@code WATCHDOG_PID} names the process
     * that must send the messages.
     */
    public static Optional<Duration> limit(Map<String, String> environment, long process) {
        Optional<Long> meant = number(environment, "WATCHDOG_PID");
        if (meant.isPresent() && meant.get() != process) {
            return Optional.empty();
        }
        return number(environment, "WATCHDOG_USEC")
                .filter(micros -> micros > 0)
                .map(micros -> Duration.ofNanos(micros * 1000));
    }

    /**
     * Starts to feed, at once and then at half of the limit, as the manual recommends, on a thread that does not keep
     * the process alive. The thread queries the progress, and may wait for the result.
     */
    public static Watchdog start(ServiceManager manager, Duration limit, BooleanSupplier progress) {
        var watchdog = new Watchdog(manager, progress, limit.dividedBy(2));
        Thread.ofPlatform().name("watchdog").daemon().start(watchdog::run);
        return watchdog;
    }

    @Override
    public void close() {
        closed.countDown();
    }

    private void run() {
        try {
            do {
                if (progress.getAsBoolean()) {
                    manager.alive();
                }
            } while (!closed.await(period.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private static Optional<Long> number(Map<String, String> environment, String variable) {
        try {
            return Optional.ofNullable(environment.get(variable)).map(Long::valueOf);
        } catch (NumberFormatException foreign) {
            return Optional.empty();
        }
    }
}
