package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeClient;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.work.ControllerObserver;
import java.time.Duration;
import java.util.Optional;
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
        try (var controller = new Controller(
                client,
                Bench.shared(),
                "one",
                new Bench.Time(),
                System::nanoTime,
                () -> 0.5,
                ControllerObserver.NONE)) {
            controller.start();
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (!controller.leads() && System.nanoTime() < end) {
                Thread.sleep(10);
            }

            assertThat(controller.leads()).isTrue();
            assertThat(controller.leader()).contains("one");
            assertThat(client.calls()).startsWith("get Lease", "get Lease", "create Lease");
        }
    }
}
