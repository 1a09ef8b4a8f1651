package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateLimiterTest {

    @Test
    void turnsACallerAwayWhereNoPlaceBecomesFree() throws Exception {
        RateLimiter limiter = RateLimiter.unpaced(1);

        assertThat(limiter.enter(Duration.ofMillis(1))).isTrue();
        assertThat(limiter.enter(Duration.ofMillis(1))).isFalse();
        limiter.leave();
        assertThat(limiter.enter(Duration.ofMillis(1))).isTrue();
    }

    @Test
    void makesCallersAfterTheBurstWaitForTheirTurn() throws Exception {
        RateLimiter limiter = RateLimiter.paced(100, 50, 2);
        long begun = System.nanoTime();
        for (int i = 0; i < 7; i++) {
            limiter.pace();
        }

        // Two at once and five at 20 ms each; a slow machine only makes it longer.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(90));
    }

    /** Had they kept their turns, the last one would wait for minutes. */
    @Test
    void whoGivesUpLeavesItsTurnToTheNextOne() throws Exception {
        RateLimiter limiter = RateLimiter.paced(100, 5, 1);
        limiter.pace();
        for (int i = 0; i < 2_000; i++) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(limiter::pace).isInstanceOf(InterruptedException.class);
        }

        var last = new FutureTask<>(() -> {
            limiter.pace();
            return true;
        });
        Thread.ofVirtual().start(last);
        assertThat(last.get(1, TimeUnit.MINUTES)).isTrue();
    }
}
