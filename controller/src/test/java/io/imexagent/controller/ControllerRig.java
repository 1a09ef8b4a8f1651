package io.imexagent.controller;

import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.Reconciler.TaskResult;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/** One controller without threads: a test says what happens when. Its clocks stand until the test moves them. */
public final class ControllerRig {

    /** When every test begins. */
    public static final Instant BEGIN = Instant.parse("2026-11-21T12:00:00Z");

    /** After how long a missing Node is lost in tests. */
    public static final Duration LOST_AFTER = Duration.ofMinutes(10);

    private final FakeCluster cluster;
    private final FakeClient client;
    private final ClusterState state;
    private final Reconciler reconciler;
    private final Set<ReconcileKey> dirty = new LinkedHashSet<>();
    private final List<String> failures = new ArrayList<>();
    private boolean deposed;

    /** A clock that a test moves. */
    public static final class Time implements InstantSource {

        private Instant now = BEGIN;

        @Override
        public Instant instant() {
            return now;
        }

        /** The same as a steady clock. */
        public long nanoTime() {
            return Duration.between(BEGIN, now).toNanos();
        }

        /** Lets time pass. */
        public void pass(Duration span) {
            now = now.plus(span);
        }
    }

    /** A controller that has just listed everything. */
    public ControllerRig(
            FakeCluster cluster, ControllerPolicy policy, Time time, IntFunction<Optional<FakeClient.Cut>> cuts) {
        this.cluster = cluster;
        this.client = new FakeClient(cluster).cutting(cuts);
        this.state = new ClusterState(dirty::add);
        this.reconciler = new Reconciler(
                client, state, policy, time, time::nanoTime, () -> !deposed, dirty::add, new ControllerObserver() {
                    @Override
                    public void failed(String kind) {
                        failures.add(kind);
                    }
                });
        state.watch(client);
    }

    /** The same, and no call fails. */
    public ControllerRig(FakeCluster cluster, ControllerPolicy policy, Time time) {
        this(cluster, policy, time, call -> Optional.empty());
    }

    /** A policy without isolation. */
    public static ControllerPolicy shared() {
        return new ControllerPolicy(Isolation.NONE, 128, LOST_AFTER, PlacementMode.OFF, Optional.empty());
    }

    /** A policy with isolation. */
    public static ControllerPolicy isolated() {
        return new ControllerPolicy(Isolation.IMEX_CHANNEL, 128, LOST_AFTER, PlacementMode.OFF, Optional.empty());
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

    /** The kinds of failures that were counted. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** What does the work. */
    public Reconciler reconciler() {
        return reconciler;
    }

    /** Works on one thing once. */
    public TaskResult work(ReconcileKey work) {
        dirty.remove(work);
        return reconciler.reconcile(work);
    }

    /** What there may be something to do about. */
    public List<ReconcileKey> known() {
        Set<ReconcileKey> all = new LinkedHashSet<>(dirty);
        all.addAll(state.everything());
        return List.copyOf(all);
    }

    /** Brings the watches up to date, works on everything, until neither does anything more. */
    public void settle() {
        for (int round = 0; round < 50; round++) {
            int before = cluster.revision();
            client.deliver(Integer.MAX_VALUE);
            known().forEach(this::work);
            if (cluster.revision() == before && client.deliver(Integer.MAX_VALUE) == 0 && dirty.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("does not come to rest; last calls: "
                + client.calls()
                        .subList(
                                Math.max(0, client.calls().size() - 20),
                                client.calls().size()));
    }
}
