package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.systemd.ServiceManager;
import io.imexagent.systemd.Watchdog;
import io.imexagent.worker.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the service manager when the agent is ready, reloads and stops, sends it the status line, and feeds its
 * watchdog while the agent makes progress. Runs on its own threads, so that no other part waits for the manager.
 */
final class Service {

    /** The interval of status checks: one takes microseconds, and only a change is sent. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Service.class);

    private final ServiceManager manager;
    private final RunningAgent agent;
    private final Optional<Duration> watchdogLimit;
    private final LongSupplier nanoTime;
    private final Runnable lasted;
    private final Loop loop = Loop.of("service", this::check);
    private Optional<Watchdog> watchdog = Optional.empty();

    // Used by the loop only.
    private boolean running;
    private boolean counted;
    private long lasting;

    private boolean ready;
    private boolean ending;
    private String reportedStatus = "";
    private String stoppingStatus = "stopping; prepared claims stay prepared";

    /** Creates the service; {@code lasted} runs once the agent has been ready for {@link StartBackoff#LASTING}. */
    Service(ServiceManager manager, RunningAgent agent, ThisProcess process, Runnable lasted) {
        this.nanoTime = process.nanoTime();
        this.lasted = lasted;
        this.manager = manager;
        this.agent = agent;
        this.watchdogLimit =
                Watchdog.limit(process.environment(), ProcessHandle.current().pid());
    }

    /** Reports readiness once the agent has read the node, then every change of its status. */
    void started() {
        manager.fault().ifPresent(fault -> LOG.warn("service manager not notified reason=\"{}\"", fault));
        if (manager.present()) {
            agent.onNodeChange(loop::wake);
            loop.start();
        }
    }

    /** Runs work that reloads the configuration, and notifies the manager of its begin and end. */
    synchronized void reloading(Runnable work) {
        // Before the agent is ready, a reload must not report readiness.
        boolean reporting = ready && !ending;
        if (reporting) {
            manager.reloading("reading the configuration and the node again");
        }
        try {
            work.run();
        } finally {
            if (reporting) {
                reportedStatus = agent.status();
                manager.ready(reportedStatus);
            }
        }
    }

    /** Records why the agent could not start; the status shows the reason after the end of the process. */
    synchronized void failed(String reason) {
        stoppingStatus = "cannot serve: " + reason.lines().findFirst().orElse("");
    }

    void stopping() {
        loop.close();
        synchronized (this) {
            ending = true;
            watchdog.ifPresent(Watchdog::close);
            manager.stopping(stoppingStatus);
        }
    }

    private Duration check() throws InterruptedException {
        if (!running) {
            agent.awaitFirstReading();
            becomeReady();
            running = true;
            lasting = nanoTime.getAsLong() + StartBackoff.LASTING.toNanos();
        } else if (!counted && nanoTime.getAsLong() - lasting > 0) {
            counted = true;
            lasted.run();
        }
        reportChanges();
        return LOOK;
    }

    private synchronized void becomeReady() {
        if (ending) {
            return;
        }
        reportedStatus = agent.status();
        manager.ready(reportedStatus);
        ready = true;
        watchdog =
                watchdogLimit.map(limit -> Watchdog.start(manager, limit, () -> agent.progresses(limit.dividedBy(4))));
    }

    private synchronized void reportChanges() {
        String status = agent.status();
        if (!ending && !status.equals(reportedStatus)) {
            reportedStatus = status;
            manager.report(status);
        }
    }
}
