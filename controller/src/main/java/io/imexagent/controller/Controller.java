package io.imexagent.controller;

import static io.imexagent.controller.LeaderElection.RETRY;

import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.ClusterReport.ProofCounts;
import io.imexagent.controller.ClusterReport.ReportedFabric;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the cluster, takes part in the election, and reconciles while it leads. It also watches before it leads, so
 * that it can begin at once.
 */
public final class Controller implements AutoCloseable {

    /** The number of keys that are worked on at the same time. */
    public static final int WORKERS = 4;

    /**
     * Changes of a clique with a table within this time are handled together, since the nodes of a workload end
     * together.
     */
    public static final Duration TOGETHER = Duration.ofSeconds(1);

    private static final Duration LISTING = Duration.ofMillis(20);
    private static final Duration STOP = Duration.ofSeconds(5);

    /** The pauses of a thread after a defect; short, because the Lease must be renewed. */
    private static final Backoff AFTER_DEFECT = new Backoff(Duration.ofMillis(100), RETRY, RETRY);

    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private final ControlPlane cluster;
    private final ControllerPolicy policy;
    private final ReconcileQueue<ReconcileKey> queue;
    private final ClusterState state;
    private final Reconciler reconciler;
    private final LeaderElection election;
    private final ReadyNodes nodes;
    private final InstantSource clock;
    private final DoubleSupplier random;
    private final ControllerObserver observer;
    private final List<Loop> loops = new ArrayList<>();
    /** The threads and keys whose last run failed by a defect, with the defect. */
    private final Map<String, String> broken = new ConcurrentSkipListMap<>();

    private volatile boolean closed;
    /** Whether this controller was leading and working after the last attempt; used by the election's thread alone. */
    private boolean led;

    /**
     * Makes a controller that does nothing before {@link #start}. It closes {@code cluster} when it is closed; no other
     * controller may have its {@code identity}.
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
        this.random = random;
        this.observer = observer;
        this.queue = new ReconcileQueue<>(nanoTime, random);
        this.state = new ClusterState(this::concerned);
        this.election = new LeaderElection(cluster.leases(), identity, clock, nanoTime);
        this.nodes = new ReadyNodes(state, cluster::fabric, policy.rackLabel(), nanoTime);
        this.reconciler =
                new Reconciler(cluster, state, policy, clock, nanoTime, this::works, this::concerned, observer);
    }

    /**
     * Queues work. Nodes wait for a clique's first table, so it is queued at once; a clique with a table can wait, and
     * a placement waits longer the larger it is.
     */
    private void concerned(ReconcileKey work) {
        if (work instanceof ReconcileKey.CliqueKey clique
                && state.table(clique.id()).isPresent()) {
            queue.addAfter(work, TOGETHER);
        } else if (work instanceof ReconcileKey.PlacementKey(String namespace)) {
            queue.addAfter(work, PlacementTask.pause(state.placement(namespace)));
        } else {
            queue.add(work);
        }
    }

    /** Starts the watches, the election, and the workers, which work while this controller leads. */
    public void start() {
        state.watch(cluster);
        begin("imex-election", this::elect);
        for (int worker = 0; worker < WORKERS; worker++) {
            begin("imex-worker-" + worker, () -> {
                queue.take().ifPresent(this::work);
                return Duration.ZERO;
            });
        }
    }

    private void begin(String name, Loop.LoopStep step) {
        var loop = new Loop(name, new Signal()) {
            @Override
            protected Duration turn() throws InterruptedException {
                Duration pause = step.run();
                broken.remove(name);
                return pause;
            }

            @Override
            protected Duration afterDefect(Throwable defect, int inARow) {
                broke(name, defect);
                return AFTER_DEFECT.after(inARow, random);
            }
        };
        loops.add(loop);
        loop.start();
    }

    private void broke(String what, Throwable defect) {
        observer.failed("defect");
        String why = defect.toString();
        if (!why.equals(broken.put(what, why))) {
            LOG.error("task failed by a defect, trying again what=\"{}\"", what, defect);
        }
    }

    private boolean works() {
        return !closed && election.leads();
    }

    /** Takes part in the election once; returns the pause before the next time. */
    private Duration elect() {
        long startNanos = System.nanoTime();
        // Leadership may have been lost since the last attempt, which failed or hung: all work then begins again.
        led &= election.leads();
        election.attempt();
        boolean leads = election.leads() && state.listed();
        if (leads && !led) {
            reconciler.begin();
            state.everything().forEach(queue::add);
            queue.add(new ReconcileKey.ResyncKey());
        }
        led = leads;
        queue.open(leads);
        if (!leads) {
            // Failed work is now that of the new leader.
            broken.clear();
        }
        // The pause counts from the beginning of the attempt: after a long one the Lease must be renewed at once.
        return election.leads() && !state.listed() ? LISTING : RETRY.minusNanos(System.nanoTime() - startNanos);
    }

    private void work(ReconcileKey work) {
        String what = work.text();
        try {
            reconcile(work);
            broken.remove(what);
        } catch (RuntimeException | Error defect) {
            queue.failed(work, Duration.ZERO);
            broke(what, defect);
        }
    }

    private void reconcile(ReconcileKey work) {
        switch (reconciler.reconcile(work)) {
            case Reconciler.TaskResult.TaskSettled settled -> {
                queue.done(work);
                settled.recheckAfter().ifPresent(wait -> queue.addAfter(work, wait));
            }
            case Reconciler.TaskResult.TaskFailed failed ->
                queue.failed(work, failed.failure().retryAfter().orElse(Duration.ZERO));
            case Reconciler.TaskResult.TaskDeposed deposed -> {
                queue.done(work);
                queue.add(work);
                queue.open(false);
            }
        }
    }

    public boolean leads() {
        return election.leads();
    }

    /** The identity of the leader; empty if unknown. */
    public Optional<String> leader() {
        return election.holder();
    }

    /** Why this controller's last attempt in the election failed; empty if it did not. */
    public Optional<ApiFailure> electionFailure() {
        return election.failure();
    }

    public boolean listed() {
        return state.listed() && state.fabricListed();
    }

    /** Whether no work is queued or running. */
    public boolean idle() {
        return queue.idle();
    }

    /** The number of queued keys. */
    public int queued() {
        return queue.size();
    }

    /** The threads whose last run failed by a defect, and, while this controller leads, such work. */
    public List<String> defects() {
        return broken.entrySet().stream()
                .map(one -> one.getKey() + ": " + one.getValue())
                .toList();
    }

    /** The number of ComputeDomains that are ready (true) and not ready (false). */
    public Map<Boolean, Long> readiness() {
        return state.domains.all().stream()
                .collect(Collectors.partitioningBy(
                        domain -> domain.ready() && !domain.deleting(), Collectors.counting()));
    }

    /** The counts of the cliques; empty before nodes and tables have been listed. */
    public Optional<FabricCounts> fabric() {
        return state.fabricListed() ? Optional.of(reporter(reconciler.nodes()).counts()) : Optional.empty();
    }

    /** The counts of the fabric test's results; empty before the nodes and the results have been listed. */
    public Optional<ProofCounts> proofs() {
        return state.fabricListed() ? reporter(Optional.empty()).proofCounts(clock.instant()) : Optional.empty();
    }

    /** All ComputeDomains and cliques for people; empty before they have been listed. */
    public ClusterReport report() {
        return listed() ? reporter(reconciler.nodes()).report() : ClusterReport.EMPTY;
    }

    /** The racks for people; empty before they have been listed. Needs no call of the API server. */
    public Optional<ReportedFabric> racks() {
        return state.fabricListed() ? Optional.of(reporter(nodes()).fabric(clock.instant())) : Optional.empty();
    }

    /** A value that is equal to an earlier one if {@link #racks} is unchanged since then. */
    public Object racksVersion() {
        return List.of(
                state.fabricListed(),
                state.fabricChanges(),
                state.countingRuns(clock.instant()),
                nodes(),
                reconciler.failures());
    }

    /** The leader lists the Nodes in its rounds; other controllers take the list of {@link ReadyNodes}. */
    private Optional<NodeListing> nodes() {
        return leads() && reconciler.nodes().isPresent() ? reconciler.nodes() : nodes.recent();
    }

    private Reporter reporter(Optional<NodeListing> nodes) {
        return new Reporter(policy, state, nodes, reconciler.failures(), cluster.unread());
    }

    /** Ends the work, releases the Lease, and closes watches and connections. */
    @Override
    public void close() {
        closed = true;
        queue.close();
        long deadline = System.nanoTime() + STOP.toNanos();
        loops.forEach(Loop::finish);
        for (Loop loop : loops) {
            try {
                loop.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        election.resign();
        nodes.close();
        cluster.close();
    }

    /** Receives the results of work, for metrics. It is called on the workers, so it must not block. */
    public interface ControllerObserver {

        /** A key was reconciled. */
        default void reconciled(Duration took) {}

        /**
         * Work failed. {@code kind} is the label of the failed call's kind, or {@code defect} if this program is at
         * fault.
         */
        default void failed(String kind) {}
    }
}
