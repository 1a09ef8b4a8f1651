package io.imexagent.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
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
}
