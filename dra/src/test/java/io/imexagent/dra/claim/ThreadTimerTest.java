package io.imexagent.dra.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ThreadTimerTest {

    @Test
    void runsATaskAfterItsDelayAlsoAfterOneThatFailed() throws Exception {
        try (var timer = new ThreadTimer("timer")) {
            var ran = new CountDownLatch(1);
            timer.after(Duration.ZERO, () -> {
                throw new IllegalStateException("a defect");
            });
            timer.after(Duration.ofMillis(5), ran::countDown);

            assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void forgetsATaskThatWasTakenBack() throws Exception {
        try (var timer = new ThreadTimer("timer")) {
            var ran = new AtomicBoolean();
            var after = new CountDownLatch(1);
            timer.after(Duration.ofMillis(20), () -> ran.set(true)).cancel();
            timer.after(Duration.ofMillis(40), after::countDown);

            assertThat(after.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(ran).isFalse();
        }
    }

    @Test
    void takesTasksWithoutRunningThemOnceItIsClosed() {
        var timer = new ThreadTimer("timer");
        timer.close();
        var ran = new AtomicBoolean();

        timer.after(Duration.ZERO, () -> ran.set(true)).cancel();

        assertThat(ran).isFalse();
    }
}
