package io.imexagent.controller;

import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reconciles one key: plans a step, performs it, and plans again, until no step is left. */
final class Reconciler {

    /**
     * The most steps of one run. The longest work takes eight; more mean that another writer undoes this controller's
     * changes.
     */
    private static final int MOST_STEPS = 16;

    /** The number of failures in a row from which an Event reports the failure. */
    private static final int OFTEN = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final ControllerPolicy policy;
    private final BooleanSupplier mayWork;
    private final ControllerObserver observer;
    private final DomainPlanner domains;
    private final EventRecorder announcer;
    private final LostNodes lostNodes;
    private final StatusWriter statuses;
    private final SharedChannels sharing;
    private final Consumer<ReconcileKey> again;
    private final Map<CliqueId, List<ChannelConflict>> conflicts = new ConcurrentHashMap<>();
    private final Map<ReconcileKey, FailingKey> failing = new ConcurrentHashMap<>();
    private final EndingNamespaces ending;
    /** Whether it has been logged that the cluster lacks the definition of CliquePlacements. */
    private final AtomicBoolean undefined = new AtomicBoolean();

    private record FailingKey(int times, ApiFailure failure) {}

    /** {@code mayWork} is checked before each step; {@code again} receives keys that other work has made necessary. */
    Reconciler(
            ControlPlane cluster,
            ClusterState state,
            ControllerPolicy policy,
            InstantSource clock,
            LongSupplier nanoTime,
            BooleanSupplier mayWork,
            Consumer<ReconcileKey> again,
            ControllerObserver observer) {
        this.cluster = cluster;
        this.state = state;
        this.policy = policy;
        this.mayWork = mayWork;
        this.observer = observer;
        this.domains = new DomainPlanner(policy);
        this.announcer = new EventRecorder(cluster, clock);
        this.ending = new EndingNamespaces(nanoTime);
        this.lostNodes = new LostNodes(cluster, state, policy, clock, nanoTime, mayWork, again);
        this.statuses = new StatusWriter(cluster, state, policy, lostNodes::lost, clock);
        this.sharing = new SharedChannels(state, nanoTime, again);
        this.again = again;
    }

    sealed interface TaskResult {

        /** No step is left; {@code recheckAfter} is the wait before the next run if nothing changes. */
        record TaskSettled(Optional<Duration> recheckAfter) implements TaskResult {

            static Optional<TaskSettled> now() {
                return Optional.of(new TaskSettled(Optional.empty()));
            }

            static Optional<TaskSettled> until(Duration wait) {
                return Optional.of(new TaskSettled(Optional.of(wait)));
            }
        }

        /** A call failed; another try may help. */
        record TaskFailed(ApiFailure failure) implements TaskResult {}

        record TaskDeposed() implements TaskResult {}
    }

    interface ReconcileTask {

        /**
         * Plans from the present state, and performs the next step. Empty if there was a step; otherwise the result.
         */
        Optional<TaskResult.TaskSettled> advance() throws ApiException;
    }

    TaskResult reconcile(ReconcileKey work) {
        if (!(work instanceof ReconcileKey.CliqueKey(CliqueId clique))) {
            return attempt(work);
        }
        try {
            TaskResult outcome = attempt(work);
            Optional<Duration> again = sharing.check(clique);
            return outcome instanceof TaskResult.TaskSettled(Optional<Duration> wait)
                    ? new TaskResult.TaskSettled(wait.filter(
                                    sooner -> again.filter(later -> sooner.compareTo(later) > 0)
                                            .isEmpty())
                            .or(() -> again))
                    : outcome;
        } finally {
            findConflicts(clique);
        }
    }

    private TaskResult attempt(ReconcileKey work) {
        long startNanos = System.nanoTime();
        try {
            ReconcileTask task = task(work);
            for (int step = 0; step < MOST_STEPS; step++) {
                if (!mayWork.getAsBoolean()) {
                    return new TaskResult.TaskDeposed();
                }
                Optional<TaskResult.TaskSettled> settled = task.advance();
                if (settled.isPresent()) {
                    observer.reconciled(Duration.ofNanos(System.nanoTime() - startNanos));
                    failing.remove(work);
                    return settled.get();
                }
            }
            return failed(
                    work,
                    new ApiFailure(
                            ApiFailure.FailureKind.CONFLICT,
                            "another writer keeps changing this ComputeDomain or its template; stop that writer",
                            Optional.of(Duration.ofSeconds(10))));
        } catch (ApiException e) {
            return failed(work, e.failure());
        }
    }

    /**
     * Compares a clique's conflicts with those before. Present ComputeDomains are requeued for their Events; conflicts
     * without one are logged.
     */
    private void findConflicts(CliqueId clique) {
        List<ChannelConflict> now = state.conflicts(clique);
        List<ChannelConflict> before = Optional.ofNullable(
                        now.isEmpty() ? conflicts.remove(clique) : conflicts.put(clique, now))
                .orElse(List.of());
        if (now.equals(before)) {
            return;
        }
        Stream.concat(now.stream(), before.stream())
                .flatMap(conflict -> conflict.domains().stream())
                .distinct()
                .forEach(uid -> again.accept(new ReconcileKey.DomainKey(uid)));
        Set<ChannelConflict.ChannelConflictKey> known =
                before.stream().map(ChannelConflict::key).collect(Collectors.toSet());
        Set<ChannelConflict.ChannelConflictKey> lasting =
                now.stream().map(ChannelConflict::key).collect(Collectors.toSet());
        now.stream()
                .filter(conflict -> !known.contains(conflict.key()) && isUnowned(conflict))
                .forEach(conflict -> LOG.warn("{}", conflict.text()));
        before.stream()
                .filter(conflict -> !lasting.contains(conflict.key()) && isUnowned(conflict))
                .forEach(conflict -> LOG.info("this is over: {}", conflict.text()));
    }

    private boolean isUnowned(ChannelConflict conflict) {
        return conflict.domains().stream()
                .allMatch(uid -> state.domains.get(uid).isEmpty());
    }

    private ReconcileTask task(ReconcileKey work) {
        return switch (work) {
            case ReconcileKey.DomainKey domain ->
                new DomainTask(cluster, state, domains, statuses, announcer, sharing, ending, domain.uid());
            case ReconcileKey.CliqueKey clique ->
                new CliqueTask(cluster.fabric(), state, policy.isolating(), clique.id());
            case ReconcileKey.PlacementKey placement ->
                new PlacementTask(cluster, state, policy.placement(), placement.namespace(), undefined);
            case ReconcileKey.NodeKey node -> () -> lostNodes.check(node.name());
            case ReconcileKey.ResyncKey round -> lostNodes::round;
        };
    }

    private TaskResult failed(ReconcileKey work, ApiFailure failure) {
        observer.failed(failure.kind().label());
        boolean past =
                failure.kind() == ApiFailure.FailureKind.CONFLICT || failure.kind() == ApiFailure.FailureKind.NOT_FOUND;
        int times = failing.merge(
                        work, new FailingKey(1, failure), (before, now) -> new FailingKey(before.times() + 1, failure))
                .times();
        if (past && times < 5) {
            LOG.debug("overtaken, planned again work=\"{}\" error=\"{}\"", work.text(), failure.message());
            return new TaskResult.TaskFailed(failure);
        }
        Optional<DomainObject> domain =
                work instanceof ReconcileKey.DomainKey one ? state.domains.get(one.uid()) : Optional.empty();
        LOG.warn(
                "reconciliation failed, trying again work=\"{}\" kind={} error=\"{}\"",
                domain.map(known -> "ComputeDomain " + known.ref().path()).orElse(work.text()),
                failure.kind().label(),
                failure.message());
        if (times >= OFTEN && answered(failure.kind())) {
            domain.ifPresent(known -> {
                var _ = announcer.report(
                        known.ref(), List.of(new Problem(Problem.Reason.RECONCILE_FAILED, failure.message())));
            });
        }
        return new TaskResult.TaskFailed(failure);
    }

    /** Whether the server answered the failed call, so that it can also receive an Event. */
    private static boolean answered(ApiFailure.FailureKind kind) {
        return switch (kind) {
            case FORBIDDEN, ADMISSION, QUOTA, INVALID, CONFLICT, NOT_FOUND, SERVER_ERROR -> true;
            case UNREACHABLE,
                    TIMEOUT,
                    NO_KUBECONFIG,
                    UNAUTHORIZED,
                    NO_RELATIONSHIP,
                    OTHER_NODE,
                    NAMESPACE_ENDING,
                    GONE,
                    THROTTLED,
                    UNREADABLE,
                    UNSUPPORTED -> false;
        };
    }

    /** Forgets earlier observations when this controller begins to lead. */
    void begin() {
        lostNodes.forget();
        statuses.begin();
        sharing.forget();
        failing.clear();
        ending.forget();
    }

    Map<ReconcileKey, String> failures() {
        return failing.entrySet().stream()
                // A key that is removed and added during the iteration may appear twice.
                .collect(Collectors.toMap(
                        Map.Entry::getKey, failed -> failed.getValue().failure().message(), (_, later) -> later));
    }

    /** The Nodes and whether each is ready, as of a few minutes ago; empty if unknown. */
    Optional<NodeListing> nodes() {
        return lostNodes.present();
    }
}
