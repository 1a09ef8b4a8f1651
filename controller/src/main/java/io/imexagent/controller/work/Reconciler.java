package io.imexagent.controller.work;

import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.plan.DomainPlanner;
import io.imexagent.controller.plan.DomainView;
import io.imexagent.controller.plan.OrphanPlanner;
import io.imexagent.controller.plan.Plan;
import io.imexagent.controller.plan.Problem;
import io.imexagent.controller.plan.Step;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.DomainObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings one ComputeDomain at a time to where it must be: plan, perform, plan again, until nothing is left to do. */
public final class Reconciler {

    /** The longest way takes nine steps; more mean that somebody works against this controller. */
    private static final int MOST_STEPS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    private final ClusterState state;
    private final InstantSource clock;
    private final BooleanSupplier mayWork;
    private final ControllerObserver observer;
    private final DomainPlanner domains;
    private final OrphanPlanner orphans = new OrphanPlanner();
    private final Performer performer;
    private final Announcer announcer;
    private final ControllerPolicy policy;
    private final Set<String> waiting = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();

    /**
     * A reconciler.
     *
     * @param cluster the cluster
     * @param state what is known of it
     * @param policy what the operator decided
     * @param clock the time
     * @param mayWork asked before each call: whether this controller is still the one that works
     * @param observer hears how it goes
     */
    public Reconciler(
            ControlPlane cluster,
            ClusterState state,
            ControllerPolicy policy,
            InstantSource clock,
            BooleanSupplier mayWork,
            ControllerObserver observer) {
        this.state = state;
        this.policy = policy;
        this.clock = clock;
        this.mayWork = mayWork;
        this.observer = observer;
        this.domains = new DomainPlanner(policy);
        this.performer = new Performer(cluster, state, clock);
        this.announcer = new Announcer(cluster, clock);
    }

    /** How a reconciliation ended. */
    public sealed interface Outcome {

        /**
         * Nothing is left to do.
         *
         * @param wantsChannel whether a channel is wanted and none free: {@link #turn} says when to try again
         * @param lookAgain when to look again even if nothing changes
         */
        record Settled(boolean wantsChannel, Optional<Duration> lookAgain) implements Outcome {}

        /**
         * A call failed; another try may help.
         *
         * @param failure why
         */
        record Failed(ApiFailure failure) implements Outcome {}

        /** This controller is no longer the one that works. */
        record Deposed() implements Outcome {}
    }

    /** Reconciles the ComputeDomain of this UID, or what is left of it. */
    public Outcome reconcile(String uid) {
        long begun = System.nanoTime();
        try {
            for (int step = 0; step < MOST_STEPS; step++) {
                if (!mayWork.getAsBoolean()) {
                    return new Outcome.Deposed();
                }
                Optional<Plan> settled = advance(uid);
                if (settled.isPresent()) {
                    observer.reconciled(Duration.ofNanos(System.nanoTime() - begun));
                    return settled(uid, settled.get());
                }
            }
            return failed(
                    uid,
                    new ApiFailure(
                            ApiFailure.Kind.CONFLICT,
                            "the ComputeDomain does not come to rest: something else changes its template or its"
                                    + " status; end what does",
                            Optional.of(Duration.ofSeconds(10))));
        } catch (ApiException e) {
            return failed(uid, e.failure());
        }
    }

    /** Plans, and performs the step; the plan where there is none. */
    private Optional<Plan> advance(String uid) throws ApiException {
        Optional<DomainView> view = state.view(uid);
        if (view.isEmpty()) {
            announcer.forget(uid);
            waiting.remove(uid);
            return performed(orphans.plan(state.remains(uid)));
        }
        Plan plan = domains.plan(view.get(), clock.instant());
        return plan.step().filter(step -> step instanceof Step.TakeChannel).isPresent() ? choose(uid) : performed(plan);
    }

    /** One channel is chosen at a time, so that workers do not choose the same; what was chosen before may be taken. */
    private synchronized Optional<Plan> choose(String uid) throws ApiException {
        Optional<DomainView> fresh = state.view(uid);
        return fresh.isEmpty() ? Optional.empty() : performed(domains.plan(fresh.get(), clock.instant()));
    }

    private Optional<Plan> performed(Plan plan) throws ApiException {
        if (plan.step().isEmpty()) {
            return Optional.of(plan);
        }
        performer.perform(plan.step().get());
        return Optional.empty();
    }

    private Outcome settled(String uid, Plan plan) {
        refused.remove(uid);
        boolean exhausted =
                plan.problems().stream().anyMatch(problem -> problem.reason() == Problem.Reason.CHANNELS_EXHAUSTED);
        if (exhausted) {
            waiting.add(uid);
        } else {
            waiting.remove(uid);
        }
        Optional<DomainView> view = state.view(uid);
        if (view.isEmpty() && !plan.problems().isEmpty()) {
            LOG.warn("{} domain={}", plan.problems().getFirst().message(), uid);
        }
        Optional<Duration> tellAgain =
                view.flatMap(known -> announcer.tell(known.domain().ref(), plan.problems()));
        Instant now = clock.instant();
        Optional<Duration> look =
                plan.lookAgain().map(at -> Duration.between(now, at).plusMillis(1));
        return new Outcome.Settled(
                exhausted,
                look.isPresent() && tellAgain.isPresent()
                        ? look.map(wait -> wait.compareTo(tellAgain.get()) < 0 ? wait : tellAgain.get())
                        : look.or(() -> tellAgain));
    }

    private Outcome failed(String uid, ApiFailure failure) {
        observer.failed(failure.kind().label());
        boolean past = failure.kind() == ApiFailure.Kind.CONFLICT || failure.kind() == ApiFailure.Kind.NOT_FOUND;
        int times = refused.merge(uid, 1, Integer::sum);
        if (past && times < 5) {
            LOG.debug("overtaken, planned anew uid={} error=\"{}\"", uid, failure.message());
        } else {
            Optional<DomainObject> domain = state.view(uid).map(DomainView::domain);
            LOG.warn(
                    "reconciliation failed, it is tried again domain={} kind={} error=\"{}\"",
                    domain.map(known -> known.ref().path()).orElse(uid),
                    failure.kind().label(),
                    failure.message());
            if (times >= 3 && answered(failure.kind())) {
                domain.ifPresent(known -> {
                    var _ = announcer.tell(
                            known.ref(), List.of(new Problem(Problem.Reason.RECONCILE_FAILED, failure.message())));
                });
            }
        }
        return new Outcome.Failed(failure);
    }

    /** Whether the server said no, so that it can be told an Event, too. */
    private static boolean answered(ApiFailure.Kind kind) {
        return switch (kind) {
            case FORBIDDEN, INVALID, CONFLICT, NOT_FOUND, SERVER_ERROR -> true;
            case UNREACHABLE, TIMEOUT, UNAUTHORIZED, NO_RELATIONSHIP, GONE, THROTTLED, UNREADABLE, UNSUPPORTED -> false;
        };
    }

    /**
     * Who of those that found no channel should try again, the first first, and when to ask again.
     *
     * @param turn as many as channels are free
     * @param lookAgain when the next channel has rested
     */
    public record Turn(List<String> turn, Optional<Duration> lookAgain) {}

    /** Shares out the channels that have become free; nothing is taken yet. */
    public Turn turn() {
        if (waiting.isEmpty()) {
            return new Turn(List.of(), Optional.empty());
        }
        Instant now = clock.instant();
        Channels channels = state.channels();
        List<String> first;
        synchronized (waiting) {
            first = waiting.stream().limit(channels.usage(policy, now).free()).toList();
        }
        return new Turn(
                first,
                channels.nextFree(policy, now)
                        .map(at -> Duration.between(now, at).plusMillis(1)));
    }
}
