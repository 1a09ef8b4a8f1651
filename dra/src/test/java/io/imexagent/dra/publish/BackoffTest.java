package io.imexagent.dra.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class BackoffTest {

    private static final ApiFailure FAILURE = throttled(Optional.empty());

    @Example
    void doublesFromHalfASecondToThirty() {
        var backoff = new Backoff(() -> 0);

        assertThat(Stream.generate(() -> backoff.after(FAILURE)).limit(9).map(Duration::toMillis))
                .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16_000L, 30_000L, 30_000L, 30_000L);
    }

    @Example
    void beginsAnewAfterASuccess() {
        var backoff = new Backoff(() -> 0);
        backoff.after(FAILURE);
        backoff.after(FAILURE);

        backoff.succeeded();

        assertThat(backoff.after(FAILURE)).isEqualTo(Duration.ofMillis(500));
    }

    @Property
    void staysBetweenAQuarterOfASecondAndThirtySeconds(
            @ForAll @DoubleRange(max = 1) double random, @ForAll @IntRange(max = 100) int failures) {
        var backoff = new Backoff(() -> random);
        for (int i = 0; i < failures; i++) {
            backoff.after(FAILURE);
        }

        assertThat(backoff.after(FAILURE)).isBetween(Duration.ofMillis(250), Duration.ofSeconds(30));
    }

    @Example
    void leavesTheServerAloneForAsLongAsItAsks() {
        assertThat(new Backoff(() -> 1).after(throttled(Optional.of(Duration.ofSeconds(7)))))
                .isEqualTo(Duration.ofSeconds(7));
    }

    @Example
    void listensToNoDemandForMoreThanThirtySeconds() {
        assertThat(new Backoff(() -> 1).after(throttled(Optional.of(Duration.ofDays(1)))))
                .isEqualTo(Duration.ofSeconds(30));
    }

    private static ApiFailure throttled(Optional<Duration> retryAfter) {
        return new ApiFailure(ApiFailure.Kind.THROTTLED, "too many requests", retryAfter);
    }
}
