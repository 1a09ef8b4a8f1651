package io.imexagent.imex.watch;

import io.imexagent.core.retry.Backoff;
import io.imexagent.imex.health.DaemonHealth.DaemonCondition;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.worker.WatchLoop;
import io.imexagent.worker.Worker;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Checks nvidia-imex repeatedly, and notifies of every change; empty before the first check has ended. The checks run
 * on a worker of their own, one at a time, so that a tool that hangs blocks nothing else.
 */
public final class ImexWatch extends WatchLoop<Optional<ImexHealth>> {

    private static final Logger LOG = LoggerFactory.getLogger(ImexWatch.class);

    private final Worker worker;
    private final Callable<ImexHealth> check;
    private final Supplier<Duration> interval;
    private final ImexObserver observer;
    private final LongSupplier nanoTime;
    private final Pace pace = new Pace();

    /**
     * Creates a watch that has not begun; {@code interval}, which may change, is the time between two checks of a
     * healthy daemon.
     */
    public ImexWatch(
            Worker worker,
            Callable<ImexHealth> check,
            Supplier<Duration> interval,
            ImexObserver observer,
            LongSupplier nanoTime) {
        super("imex-watch", "nvidia-imex watch", Optional.empty());
        this.worker = worker;
        this.check = check;
        this.interval = interval;
        this.observer = observer;
        this.nanoTime = nanoTime;
    }

    @Override
    protected Duration turn() throws InterruptedException {
        long start = nanoTime.getAsLong();
        try {
            ImexHealth health = worker.submit(check).get();
            observer.checked(health, Duration.ofNanos(nanoTime.getAsLong() - start));
            take(health);
            return pace.after(health, interval.get());
        } catch (ExecutionException defect) {
            observer.failed("defect");
            LOG.error("nvidia-imex could not be read, the last reading stays", defect.getCause());
            return pace.afterFailure(interval.get());
        }
    }

    private void take(ImexHealth health) {
        Optional<ImexHealth> before = show(Optional.of(health));
        if (before.map(ImexHealth::verdict).filter(health.verdict()::repeats).isEmpty()) {
            log(health);
        }
        if (before.filter(health::hasSameContentAs).isEmpty()) {
            changed();
        }
    }

    private static void log(ImexHealth health) {
        String what = switch (health.verdict().level()) {
            case UP -> "nvidia-imex is up";
            case NOT_APPLICABLE -> "nvidia-imex is of no use here";
            case DEGRADED, DOWN, UNKNOWN -> "nvidia-imex is not up";
        };
        LOG.atLevel(health.verdict().isWell() ? Level.INFO : Level.WARN)
                .log(
                        what + " code={} daemon={} domain={} verdict=\"{}\"",
                        health.verdict().code(),
                        health.daemon().label(),
                        health.domain().label(),
                        health.line());
    }

    /**
     * The time until the next check: the interval while the daemon is healthy, less while its state changes, and ever
     * more while nothing answers, since each try occupies a process for the whole of its timeout.
     */
    static final class Pace {

        /** The time between checks of a daemon that starts, which takes seconds. */
        static final Duration UNSETTLED = Duration.ofSeconds(5);

        /** The longest time between checks while a tool hangs. */
        static final Duration LONGEST = Duration.ofMinutes(5);

        private static final Set<DaemonCondition> SETTLING = EnumSet.of(
                DaemonCondition.STARTING,
                DaemonCondition.WAITING_FOR_PEERS,
                DaemonCondition.WAITING_FOR_RECOVERY,
                DaemonCondition.STOPPING,
                DaemonCondition.UNREACHABLE,
                DaemonCondition.NOT_READY);

        private int silent;

        Duration after(ImexHealth health, Duration interval) {
            if (health.verdict().level() == Verdict.VerdictLevel.UNKNOWN) {
                return afterFailure(interval);
            }
            silent = 0;
            return SETTLING.contains(health.daemon().state()) && interval.compareTo(UNSETTLED) > 0
                    ? UNSETTLED
                    : interval;
        }

        Duration afterFailure(Duration interval) {
            Duration longest = interval.compareTo(LONGEST) < 0 ? LONGEST : interval;
            return new Backoff(interval, longest, longest).after(++silent, () -> 1);
        }
    }

    /** Receives each reading of nvidia-imex, for metrics. Called on the thread of the watch; must not block. */
    public interface ImexObserver {

        void checked(ImexHealth health, Duration took);

        /**
         * A check had no result: the tool hung, printed too much, failed, or was not understood; the reason in
         * words_like_this.
         */
        void failed(String reason);
    }
}
