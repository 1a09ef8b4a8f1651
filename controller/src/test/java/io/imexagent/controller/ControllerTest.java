package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeClient;
import io.imexagent.controller.fake.FakeClient.Cut;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.work.ControllerObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ControllerTest {

    @Test
    void anElectionThatBreaksIsTriedAgain() throws InterruptedException {
        var client = new FakeClient(new FakeCluster()).cutting(call -> {
            if (call == 0) {
                throw new IllegalStateException("a defect, for the test");
            }
            return Optional.empty();
        });
        try (var controller = controller(client)) {
            controller.start();

            await(controller::leads);
            assertThat(controller.leader()).contains("one");
            assertThat(client.calls()).startsWith("get Lease", "get Lease", "create Lease");
        }
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

    private static Controller controller(FakeClient client) {
        return new Controller(
                client, Bench.shared(), "one", new Bench.Time(), System::nanoTime, () -> 0.5, ControllerObserver.NONE);
    }

    private static void await(BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!holds.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        assertThat(holds.getAsBoolean()).isTrue();
    }
}
