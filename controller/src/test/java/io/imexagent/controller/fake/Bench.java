package io.imexagent.controller.fake;

import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.controller.work.ControllerObserver;
import io.imexagent.controller.work.Reconciler;
import io.imexagent.core.policy.Isolation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/** One controller without threads: a test says what happens when. Its clock stands until the test moves it. */
public final class Bench {

    /** When every test begins. */
    public static final Instant BEGIN = Instant.parse("2026-11-21T12:00:00Z");

    /** How long channels rest in tests. */
    public static final Duration QUARANTINE = Duration.ofSeconds(30);

    private final FakeCluster cluster;
    private final FakeClient client;
    private final ClusterState state;
    private final Reconciler reconciler;
    private final Set<String> dirty = new LinkedHashSet<>();
    private boolean deposed;

    /** A clock that a test moves. */
    public static final class Time implements InstantSource {

        private Instant now = BEGIN;

        @Override
        public Instant instant() {
            return now;
        }

        /** Lets time pass. */
        public void pass(Duration span) {
            now = now.plus(span);
        }
    }

    /** A controller that has just listed everything. */
    public Bench(FakeCluster cluster, ControllerPolicy policy, Time time, IntFunction<Optional<FakeClient.Cut>> cuts) {
        this.cluster = cluster;
        this.client = new FakeClient(cluster).cutting(cuts);
        this.state = new ClusterState(dirty::add);
        this.reconciler = new Reconciler(client, state, policy, time, () -> !deposed, ControllerObserver.NONE);
        state.watch(client);
    }

    /** The same, and no call fails. */
    public Bench(FakeCluster cluster, ControllerPolicy policy, Time time) {
        this(cluster, policy, time, call -> Optional.empty());
    }

    /** A policy without isolation. */
    public static ControllerPolicy shared() {
        return new ControllerPolicy(Isolation.NONE, 128, QUARANTINE);
    }

    /** A policy with isolation. */
    public static ControllerPolicy isolated(int channels) {
        return new ControllerPolicy(Isolation.IMEX_CHANNEL, channels, QUARANTINE);
    }

    /** Lets it make no further call, as one that stood still too long and leads no more; or lets it lead again. */
    public void depose(boolean now) {
        deposed = now;
    }

    /** The client. */
    public FakeClient client() {
        return client;
    }

    /** What is known. */
    public ClusterState state() {
        return state;
    }

    /** What does the work. */
    public Reconciler reconciler() {
        return reconciler;
    }

    /** Brings the watches up to date, works on everything, until neither does anything more. */
    public void settle() {
        for (int round = 0; round < 50; round++) {
            int before = cluster.revision();
            client.deliver(Integer.MAX_VALUE);
            everything().forEach(reconciler::reconcile);
            dirty.clear();
            if (cluster.revision() == before && client.deliver(Integer.MAX_VALUE) == 0) {
                return;
            }
        }
        throw new AssertionError("does not come to rest; last calls: "
                + client.calls()
                        .subList(
                                Math.max(0, client.calls().size() - 20),
                                client.calls().size()));
    }

    private List<String> everything() {
        return state.everybody();
    }
}
