package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Condition;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.UnreadObjects.UnreadObject;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What keeps the watchdog from being fed. */
@Timeout(30)
class LivenessTest {

    private final AtomicLong now = new AtomicLong();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);

    @AfterEach
    void letGo() {
        held.countDown();
    }

    @Test
    void objectsThatCannotBeReadAreNamedAndStopNothing() {
        var domains = new UnreadObjects(2, List.of(new UnreadObject("team/a", "no metadata.name")));

        assertThat(Liveness.ofObjects(Map.of("computedomains.resource.nvidia.com", domains)))
                .isEqualTo(
                        new Condition(
                                "objects",
                                true,
                                "2 of computedomains.resource.nvidia.com cannot be read: team/a (no metadata.name) and 1 more"));
        assertThat(Liveness.ofObjects(Map.of()).detail()).isEqualTo("all can be read");
    }

    @Test
    void aWorkerWhoseTaskIsBlockedDoesNotLive() throws Exception {
        try (var worker = new Worker("claims", 4, WorkerObserver.NONE, now::get)) {
            assertThat(Liveness.of(worker).holds()).isTrue();
            CompletableFuture<Boolean> blocked = worker.submit(this::block);
            running.await();

            now.addAndGet(Duration.ofSeconds(59).toNanos());
            assertThat(Liveness.of(worker).holds()).isTrue();
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(Liveness.of(worker).holds()).isFalse();
            assertThat(Liveness.of(worker).detail()).isEqualTo("a task runs for 61 s");

            held.countDown();
            blocked.get(10, TimeUnit.SECONDS);
            // The task has ended wholly once another has run.
            worker.submit(() -> true).get(10, TimeUnit.SECONDS);
            assertThat(Liveness.of(worker).detail()).doesNotContain("61 s");
        }
    }

    @Test
    void aNodeThatIsReadNoMoreDoesNotLive() {
        Duration interval = Duration.ofSeconds(30);

        assertThat(Liveness.ofReadings(Duration.ofSeconds(179), interval, 0).holds())
                .isTrue();
        assertThat(Liveness.ofReadings(Duration.ofSeconds(181), interval, 0).holds())
                .isFalse();
    }

    @Test
    void anEventLoopThatIsBlockedDoesNotLive() throws Exception {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        try {
            assertThat(EventLoop.answers(CompletableFuture.completedFuture(vertx), Duration.ofSeconds(10)))
                    .isTrue();
            vertx.runOnContext(asked -> block());
            running.await();

            assertThat(EventLoop.answers(CompletableFuture.completedFuture(vertx), Duration.ofMillis(100)))
                    .isFalse();

            held.countDown();
            assertThat(EventLoop.answers(CompletableFuture.completedFuture(vertx), Duration.ofSeconds(10)))
                    .isTrue();
        } finally {
            held.countDown();
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    private boolean block() {
        running.countDown();
        try {
            held.await();
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
