package io.imexagent.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class BackoffTest {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30), Duration.ofMinutes(1));

    @Example
    void theBoundDoublesUpToTheLongest() {
        assertThat(IntStream.rangeClosed(1, 9)
                        .mapToLong(failures -> BACKOFF.after(failures, () -> 1).toMillis()))
                .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16_000L, 30_000L, 30_000L, 30_000L);
    }

    @Property
    void waitsAnyTimeUpToTheBound(
            @ForAll @DoubleRange(max = 1) double random, @ForAll @IntRange(min = 1) int failures) {
        assertThat(BACKOFF.after(failures, () -> random))
                .isBetween(Duration.ZERO, BACKOFF.after(failures, () -> 1))
                .isLessThanOrEqualTo(Duration.ofSeconds(30));
    }

    @Example
    void spreadsOverTheWholeTime() {
        assertThat(BACKOFF.after(3, () -> 0)).isZero();
        assertThat(BACKOFF.after(3, () -> 0.25)).isEqualTo(Duration.ofMillis(500));
    }

    @Example
    void waitsAsLongAsTheOtherSideAsksWithinReason() {
        assertThat(BACKOFF.after(1, Optional.of(Duration.ofSeconds(7)), () -> 1))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(BACKOFF.after(1, Optional.of(Duration.ofDays(1)), () -> 1)).isEqualTo(Duration.ofMinutes(1));
        assertThat(BACKOFF.after(1, Optional.empty(), () -> 1)).isEqualTo(Duration.ofMillis(500));
    }
}
