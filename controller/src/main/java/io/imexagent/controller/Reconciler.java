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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings one thing at a time to where it must be: plan, perform, plan again, until nothing is left to do. */
final class Reconciler {

    /** The longest way takes eight steps; more mean that something works against this controller. */
    private static final int MOST_STEPS = 16;

    /** From then on an Event tells of the failure. */
    private static final int OFTEN = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final ControllerPolicy policy;
    private final BooleanSupplier mayWork;
    private final ControllerObserver observer;
    private final DomainPlanner domains;
    private final Announcer announcer;
    private final LostNodes lostNodes;
    private final StatusWriter statuses;
    private final SharedChannels sharing;
    private final Consumer<Work> again;
    private final Map<CliqueId, List<Conflict>> conflicts = new ConcurrentHashMap<>();
    private final Map<Work, Failing> failing = new ConcurrentHashMap<>();
    private final EndingNamespaces ending;

    private record Failing(int times, ApiFailure failure) {}

    /** {@code mayWork} is asked before each step; {@code again} gets work that other work has made necessary. */
    Reconciler(
            ControlPlane cluster,
            ClusterState state,
            ControllerPolicy policy,
            InstantSource clock,
            LongSupplier nanoTime,
            BooleanSupplier mayWork,
            Consumer<Work> again,
            ControllerObserver observer) {
        this.cluster = cluster;
        this.state = state;
        this.policy = policy;
        this.mayWork = mayWork;
        this.observer = observer;
        this.domains = new DomainPlanner(policy);
        this.announcer = new Announcer(cluster, clock);
        this.ending = new EndingNamespaces(nanoTime);
        this.lostNodes = new LostNodes(cluster, state, policy.lostNodeAfter(), clock, nanoTime, mayWork, again);
        this.statuses = new StatusWriter(cluster, state, policy, lostNodes::lost, clock);
        this.sharing = new SharedChannels(state, nanoTime, again);
        this.again = again;
    }

    sealed interface Outcome {

        /** Nothing is left to do; {@code lookAgain} says when to look again even if nothing changes. */
        record Settled(Optional<Duration> lookAgain) implements Outcome {

            static Optional<Settled> now() {
                return Optional.of(new Settled(Optional.empty()));
            }

            static Optional<Settled> until(Duration wait) {
                return Optional.of(new Settled(Optional.of(wait)));
            }
        }

        /** A call failed; another try may help. */
        record Failed(ApiFailure failure) implements Outcome {}

        record Deposed() implements Outcome {}
    }

    interface Task {

        /** Plans by what is known now, and makes the calls of the next step; empty where there was one. */
        Optional<Outcome.Settled> advance() throws ApiException;
    }

    Outcome reconcile(Work work) {
        if (!(work instanceof Work.Clique(CliqueId clique))) {
            return attempt(work);
        }
        try {
            Outcome outcome = attempt(work);
            Optional<Duration> again = sharing.look(clique);
            return outcome instanceof Outcome.Settled(Optional<Duration> wait)
                    ? new Outcome.Settled(wait.filter(sooner -> again.filter(later -> sooner.compareTo(later) > 0)
                                    .isEmpty())
                            .or(() -> again))
                    : outcome;
        } finally {
            lookForConflicts(clique);
        }
    }

    private Outcome attempt(Work work) {
        long begun = System.nanoTime();
        try {
            Task task = task(work);
            for (int step = 0; step < MOST_STEPS; step++) {
                if (!mayWork.getAsBoolean()) {
                    return new Outcome.Deposed();
                }
                Optional<Outcome.Settled> settled = task.advance();
                if (settled.isPresent()) {
                    observer.reconciled(Duration.ofNanos(System.nanoTime() - begun));
                    failing.remove(work);
                    return settled.get();
                }
            }
            return failed(
                    work,
                    new ApiFailure(
                            ApiFailure.Kind.CONFLICT,
                            "another writer keeps changing this ComputeDomain or its template; stop that writer",
                            Optional.of(Duration.ofSeconds(10))));
        } catch (ApiException e) {
            return failed(work, e.failure());
        }
    }

    /** Conflicts come and go: ComputeDomains that are there get Events of theirs, of others the log has lines. */
    private void lookForConflicts(CliqueId clique) {
        List<Conflict> now = state.conflicts(clique);
        List<Conflict> before = Optional.ofNullable(
                        now.isEmpty() ? conflicts.remove(clique) : conflicts.put(clique, now))
                .orElse(List.of());
        if (now.equals(before)) {
            return;
        }
        Stream.concat(now.stream(), before.stream())
                .flatMap(conflict -> conflict.domains().stream())
                .distinct()
                .forEach(uid -> again.accept(new Work.Domain(uid)));
        Set<Conflict.Key> known = before.stream().map(Conflict::key).collect(Collectors.toSet());
        Set<Conflict.Key> lasting = now.stream().map(Conflict::key).collect(Collectors.toSet());
        now.stream()
                .filter(conflict -> !known.contains(conflict.key()) && ofNobody(conflict))
                .forEach(conflict -> LOG.warn("{}", conflict.text()));
        before.stream()
                .filter(conflict -> !lasting.contains(conflict.key()) && ofNobody(conflict))
                .forEach(conflict -> LOG.info("this is over: {}", conflict.text()));
    }

    private boolean ofNobody(Conflict conflict) {
        return conflict.domains().stream()
                .allMatch(uid -> state.domains.get(uid).isEmpty());
    }

    private Task task(Work work) {
        return switch (work) {
            case Work.Domain domain ->
                new DomainTask(cluster, state, domains, statuses, announcer, sharing, ending, domain.uid());
            case Work.Clique clique -> new CliqueTask(cluster.fabric(), state, policy.isolating(), clique.id());
            case Work.Node node -> () -> lostNodes.look(node.name());
            case Work.Round round -> lostNodes::round;
        };
    }

    private Outcome failed(Work work, ApiFailure failure) {
        observer.failed(failure.kind().label());
        boolean past = failure.kind() == ApiFailure.Kind.CONFLICT || failure.kind() == ApiFailure.Kind.NOT_FOUND;
        int times = failing.merge(
                        work, new Failing(1, failure), (before, now) -> new Failing(before.times() + 1, failure))
                .times();
        if (past && times < 5) {
            LOG.debug("overtaken, planned again work=\"{}\" error=\"{}\"", work.text(), failure.message());
            return new Outcome.Failed(failure);
        }
        Optional<DomainObject> domain =
                work instanceof Work.Domain one ? state.domains.get(one.uid()) : Optional.empty();
        LOG.warn(
                "reconciliation failed, trying again work=\"{}\" kind={} error=\"{}\"",
                domain.map(known -> "ComputeDomain " + known.ref().path()).orElse(work.text()),
                failure.kind().label(),
                failure.message());
        if (times >= OFTEN && answered(failure.kind())) {
            domain.ifPresent(known -> {
                var _ = announcer.tell(
                        known.ref(), List.of(new Problem(Problem.Reason.RECONCILE_FAILED, failure.message())));
            });
        }
        return new Outcome.Failed(failure);
    }

    /** Whether the server answered and refused, so that it can be sent an Event. */
    private static boolean answered(ApiFailure.Kind kind) {
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

    /** Begins to lead: what was seen before may be past. */
    void begin() {
        lostNodes.forget();
        statuses.begin();
        sharing.forget();
        failing.clear();
        ending.forget();
    }

    Map<Work, String> failures() {
        return failing.entrySet().stream()
                // One that goes and comes while this runs may be seen twice.
                .collect(Collectors.toMap(
                        Map.Entry::getKey, failed -> failed.getValue().failure().message(), (_, later) -> later));
    }

    /** The Nodes and whether each is ready, as of a few minutes ago; empty where that is not known. */
    Optional<NodeListing> nodes() {
        return lostNodes.present();
    }
}
