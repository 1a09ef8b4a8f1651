package io.imexagent.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.Kind;
import java.time.Duration;
import java.util.Optional;
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

    @Test
    void waitsLongerAfterEachFailureUpToABound() {
        var backoff = new Backoff(() -> 0);
        ApiFailure lost = new ApiFailure(Kind.UNREACHABLE, "lost", Optional.empty());

        assertThat(backoff.after(lost)).isEqualTo(Duration.ofMillis(100));
        assertThat(backoff.after(lost)).isEqualTo(Duration.ofMillis(200));
        for (int i = 0; i < 100; i++) {
            backoff.after(lost);
        }
        assertThat(backoff.after(lost)).isEqualTo(Duration.ofSeconds(10));
        backoff.reset();
        assertThat(backoff.after(lost)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void waitsAsLongAsTheServerAsksWithinReason() {
        var backoff = new Backoff(() -> 1);

        assertThat(backoff.after(throttled(Duration.ofSeconds(40)))).isEqualTo(Duration.ofSeconds(40));
        assertThat(backoff.after(throttled(Duration.ofDays(1)))).isEqualTo(Duration.ofMinutes(5));
    }

    private static ApiFailure throttled(Duration retryAfter) {
        return new ApiFailure(Kind.THROTTLED, "slow down", Optional.of(retryAfter));
    }
}
