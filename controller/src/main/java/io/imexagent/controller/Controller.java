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

/** Watches, takes part in the election, and works while it leads; watches before that, so that it can begin at once. */
public final class Controller implements AutoCloseable {

    /** How many ComputeDomains and cliques are worked on at a time. */
    public static final int WORKERS = 4;

    /** What changes in a clique with a table within this time is looked at once: the nodes of a workload end together. */
    public static final Duration TOGETHER = Duration.ofSeconds(1);

    private static final Duration LISTING = Duration.ofMillis(20);
    private static final Duration STOP = Duration.ofSeconds(5);

    /** The pauses of a thread that broke; short, because the Lease must be renewed. */
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
    /** What broke by a defect and has not gone well since: a thread, or work on a key; and the defect. */
    private final Map<String, String> broken = new ConcurrentSkipListMap<>();

    private volatile boolean closed;
    /** Whether this controller worked after the last attempt; of the election's thread. */
    private boolean led;

    /** A controller that does nothing yet; it closes the cluster with itself, and has its own identity. */
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
     * A clique without a table is waited for; one that has a table can wait, and a placement waits the longer
     * the more is in it.
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

    /** Begins to watch, to take part in the election, and to work while it leads. */
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

    /** Takes part in the election once; returns how long to pause before the next time. */
    private Duration elect() {
        long startNanos = System.nanoTime();
        // What was lost in between, while attempts broke or hung, is begun again.
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
            // Whatever broke is another's work now.
            broken.clear();
        }
        // Counted from the beginning of the attempt: one that hung has used up the pause, and the Lease is to be
        // renewed.
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

    /** Who leads; empty where it is not known. */
    public Optional<String> leader() {
        return election.holder();
    }

    /** Why this controller could not take part in the election the last time; empty where it could. */
    public Optional<ApiFailure> electionFailure() {
        return election.failure();
    }

    public boolean listed() {
        return state.listed() && state.fabricListed();
    }

    /** Whether nothing is queued and nothing worked on. */
    public boolean idle() {
        return queue.idle();
    }

    /** How many ComputeDomains, cliques and nodes wait to be worked on. */
    public int queued() {
        return queue.size();
    }

    /** What broke by a defect and has not gone well since: threads, and while this controller leads, work. */
    public List<String> defects() {
        return broken.entrySet().stream()
                .map(one -> one.getKey() + ": " + one.getValue())
                .toList();
    }

    /** How many ComputeDomains are ready (true) and not (false). */
    public Map<Boolean, Long> readiness() {
        return state.domains.all().stream()
                .collect(Collectors.partitioningBy(
                        domain -> domain.ready() && !domain.deleting(), Collectors.counting()));
    }

    /** The cliques in numbers; nothing before they have been listed. */
    public Optional<FabricCounts> fabric() {
        return state.fabricListed() ? Optional.of(reporter(reconciler.nodes()).counts()) : Optional.empty();
    }

    /** What the fabric test proves, in numbers; nothing before the nodes and its results have been listed. */
    public Optional<ProofCounts> proofs() {
        return state.fabricListed() ? reporter(Optional.empty()).proofCounts(clock.instant()) : Optional.empty();
    }

    /** All ComputeDomains and cliques as people want to see them; nothing before they have been listed. */
    public ClusterReport report() {
        return listed() ? reporter(reconciler.nodes()).report() : ClusterReport.EMPTY;
    }

    /** The racks as people want to see them; empty before they have been listed. Costs the API server nothing. */
    public Optional<ReportedFabric> racks() {
        return state.fabricListed() ? Optional.of(reporter(nodes()).fabric(clock.instant())) : Optional.empty();
    }

    /** Equal to an earlier one where {@link #racks} tells the same as then. */
    public Object racksVersion() {
        return List.of(
                state.fabricListed(),
                state.fabricChanges(),
                state.countingRuns(clock.instant()),
                nodes(),
                reconciler.failures());
    }

    /** Whoever leads lists the Nodes anyway; see {@link ReadyNodes}. */
    private Optional<NodeListing> nodes() {
        return leads() && reconciler.nodes().isPresent() ? reconciler.nodes() : nodes.recent();
    }

    private Reporter reporter(Optional<NodeListing> nodes) {
        return new Reporter(policy, state, nodes, reconciler.failures(), cluster.unread());
    }

    /** Ends the work, gives the Lease back, and ends watches and connections. */
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

    /** Is called as work ends, for metrics, on the workers: it must not block. */
    public interface ControllerObserver {

        /** A ComputeDomain, a clique or a node was brought as far as it could be. */
        default void reconciled(Duration took) {}

        /** Work failed: the kind of the call's failure as its label; {@code defect} where this program is at fault. */
        default void failed(String kind) {}
    }
}
