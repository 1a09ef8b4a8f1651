package io.imexagent.controller;

import io.imexagent.controller.election.LeaderElection;
import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.controller.report.Reporter;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.controller.work.ControllerObserver;
import io.imexagent.controller.work.Reconciler;
import io.imexagent.controller.work.WorkQueue;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.control.ControlPlane;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of ComputeDomains: watches, takes part in the election, and works while it leads. A controller that does
 * not lead watches too, so that it can begin at once.
 */
public final class Controller implements AutoCloseable {

    private static final int WORKERS = 4;
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration LISTING = Duration.ofMillis(20);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private final ControlPlane cluster;
    private final ControllerPolicy policy;
    private final InstantSource clock;
    private final WorkQueue queue;
    private final ClusterState state;
    private final Reconciler reconciler;
    private final LeaderElection election;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    /**
     * A controller that does nothing yet.
     *
     * @param cluster the cluster; closed with the controller
     * @param policy what the operator decided
     * @param identity what this controller is called in the election
     * @param clock the time
     * @param nanoTime a steady clock
     * @param random random numbers in 0 … 1
     * @param observer hears how the work goes
     */
    public Controller(
            ControlPlane cluster,
            ControllerPolicy policy,
            String identity,
            InstantSource clock,
            LongSupplier nanoTime,
            DoubleSupplier random,
            ControllerObserver observer) {
        this.cluster = cluster;
        this.policy = policy;
        this.clock = clock;
        this.queue = new WorkQueue(nanoTime, random);
        this.state = new ClusterState(queue::add);
        this.election = new LeaderElection(cluster.leases(), identity, clock, nanoTime);
        this.reconciler = new Reconciler(cluster, state, policy, clock, this::works, observer);
    }

    /** Starts. */
    public void start() {
        state.watch(cluster);
        begin("imex-election", this::elect);
        for (int worker = 0; worker < WORKERS; worker++) {
            begin("imex-worker-" + worker, this::work);
        }
    }

    private void begin(String name, Runnable task) {
        threads.add(Thread.ofVirtual().name(name).start(task));
    }

    private boolean works() {
        return !closed && election.leads();
    }

    private void elect() {
        boolean led = false;
        while (!closed) {
            long begun = System.nanoTime();
            attempt();
            boolean leads = election.leads() && state.listed();
            if (leads && !led) {
                state.everybody().forEach(queue::add);
            }
            led = leads;
            queue.open(leads);
            // Counted from the beginning of the attempt: one that hung has used up the pause, and the Lease is to be
            // renewed.
            LockSupport.parkNanos(
                    election.leads() && !state.listed()
                            ? LISTING.toNanos()
                            : begun + RETRY.toNanos() - System.nanoTime());
        }
    }

    /** An election that ended with its first defect would leave the cluster without a controller, and nobody told. */
    private void attempt() {
        try {
            election.attempt();
        } catch (RuntimeException defect) {
            LOG.error("election broke, it is tried again", defect);
        }
    }

    private void work() {
        try {
            for (Optional<String> key = queue.take(); key.isPresent(); key = queue.take()) {
                workOn(key.get());
            }
        } catch (InterruptedException e) {
            // Only close interrupts.
            Thread.currentThread().interrupt();
        }
    }

    private void share() {
        Reconciler.Turn turn = reconciler.turn();
        queue.done(ClusterState.POOL);
        turn.turn().forEach(queue::add);
        turn.lookAgain().ifPresent(wait -> queue.addAfter(ClusterState.POOL, wait));
    }

    private void workOn(String uid) {
        try {
            if (uid.equals(ClusterState.POOL)) {
                share();
                return;
            }
            switch (reconciler.reconcile(uid)) {
                case Reconciler.Outcome.Settled settled -> {
                    queue.done(uid);
                    settled.lookAgain().ifPresent(wait -> queue.addAfter(uid, wait));
                    if (settled.wantsChannel()) {
                        queue.add(ClusterState.POOL);
                    }
                }
                case Reconciler.Outcome.Failed failed ->
                    queue.failed(uid, failed.failure().retryAfter().orElse(Duration.ZERO));
                case Reconciler.Outcome.Deposed deposed -> {
                    queue.done(uid);
                    queue.add(uid);
                    queue.open(false);
                }
            }
        } catch (RuntimeException defect) {
            LOG.error("reconciliation broke, it is tried again uid={}", uid, defect);
            queue.failed(uid, Duration.ofSeconds(30));
        }
    }

    /** Whether this controller leads. */
    public boolean leads() {
        return election.leads();
    }

    /** Who leads; empty where nobody is known to. */
    public Optional<String> leader() {
        return election.holder();
    }

    /** Why this controller could not take part in the election the last time; empty where it could. */
    public Optional<ApiFailure> electionFailure() {
        return election.failure();
    }

    /** Whether all collections have been listed. */
    public boolean listed() {
        return state.listed();
    }

    /** Whether nothing is queued and nothing worked on. */
    public boolean idle() {
        return queue.idle();
    }

    /** How many ComputeDomains wait to be worked on. */
    public int queued() {
        return queue.size();
    }

    /** Why a watch does not stand; empty while all do. */
    public Optional<ApiFailure> watchFailure() {
        return cluster.watchFailure();
    }

    /** How many ComputeDomains are ready (true) and not (false). */
    public Map<Boolean, Long> readiness() {
        return state.domains().stream()
                .collect(Collectors.partitioningBy(
                        domain -> domain.ready() && !domain.deleting(), Collectors.counting()));
    }

    /** How many channels are how; nothing without isolation. */
    public Optional<Channels.Usage> usage() {
        return policy.isolation() == Isolation.IMEX_CHANNEL
                ? Optional.of(state.channels().usage(policy, clock.instant()))
                : Optional.empty();
    }

    /** All ComputeDomains as people want to see them; nothing before they have been listed. */
    public ClusterReport report() {
        return state.listed()
                ? new Reporter(policy).report(state, clock.instant(), Optional.empty())
                : ClusterReport.EMPTY;
    }

    /** Ends the work, gives the Lease back, and ends watches and connections. */
    @Override
    public void close() {
        closed = true;
        queue.close();
        long deadline = System.nanoTime() + STOP.toNanos();
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        election.resign();
        cluster.close();
    }
}
