package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.FakeClient.Cut;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.Stored;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ControllerTest {

    private final AtomicBoolean broken = new AtomicBoolean(true);
    private final List<String> failures = new CopyOnWriteArrayList<>();

    @Test
    void anElectionThatBreaksIsToldAndTriedAgain() throws InterruptedException {
        var client = breaking(new FakeCluster(), "imex-election");
        try (var controller = controller(client)) {
            controller.start();
            await(() -> controller.defects().equals(List.of("imex-election: java.lang.StackOverflowError")));
            await(() -> failures.contains("defect"));

            broken.set(false);

            await(controller::leads);
            await(() -> controller.defects().isEmpty());
            assertThat(controller.leader()).contains("one");
        }
    }

    @Test
    void workThatBreaksIsToldCountedAndTriedAgain() throws InterruptedException {
        var cluster = new FakeCluster();
        String uid = cluster.createDomain("train", "channel").ref().uid();
        var client = breaking(cluster, "imex-worker-");
        try (var controller = controller(client)) {
            controller.start();
            await(() ->
                    controller.defects().equals(List.of("ComputeDomain " + uid + ": java.lang.StackOverflowError")));
            await(() -> failures.contains("defect"));

            broken.set(false);

            await(() -> cluster.domain("train").ready());
            await(() -> controller.defects().isEmpty());
        }
    }

    @Test
    void whoLeadsNoMoreTellsNoBrokenWork() throws InterruptedException {
        var cluster = new FakeCluster();
        cluster.createDomain("train", "channel");
        var client = breaking(cluster, "imex-worker-");
        try (var controller = controller(client)) {
            controller.start();
            await(() -> !controller.defects().isEmpty());

            Stored<LeaseContent> lease = cluster.leases().getFirst();
            cluster.putLease(new Stored<>(lease.ref(), false, heldBy("two")));

            await(() -> controller.leader().equals(Optional.of("two")));
            await(() -> controller.defects().isEmpty());
        }
    }

    private static LeaseContent heldBy(String holder) {
        return new LeaseContent(
                Optional.of(holder), Optional.empty(), Optional.empty(), Optional.empty(), 1, Map.of(), Map.of());
    }

    /** A client whose calls on threads of this name break, until the test mends them. */
    private FakeClient breaking(FakeCluster cluster, String thread) {
        return new FakeClient(cluster).cutting(call -> {
            if (broken.get() && Thread.currentThread().getName().startsWith(thread)) {
                throw new StackOverflowError();
            }
            return Optional.empty();
        });
    }

    @Test
    void anAttemptThatHungIsFollowedByTheNextAtOnce() throws InterruptedException {
        Duration retry = Duration.ofSeconds(2);
        var failed = new AtomicLong();
        var again = new AtomicLong();
        var client = new FakeClient(new FakeCluster()).cutting(call -> {
            if (call == 1) {
                again.set(System.nanoTime());
            }
            if (call != 0) {
                return Optional.empty();
            }
            LockSupport.parkNanos(retry.toNanos());
            failed.set(System.nanoTime());
            return Optional.of(Cut.BEFORE);
        });
        try (var controller = controller(client)) {
            controller.start();

            await(controller::leads);

            assertThat(Duration.ofNanos(again.get() - failed.get())).isLessThan(retry);
        }
    }

    private Controller controller(FakeClient client) {
        var observer = new ControllerObserver() {
            @Override
            public void failed(String kind) {
                failures.add(kind);
            }
        };
        return new Controller(
                client, ControllerRig.shared(), "one", new ControllerRig.Time(), System::nanoTime, () -> 0.5, observer);
    }

    private static void await(BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!holds.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        assertThat(holds.getAsBoolean()).isTrue();
    }
}
