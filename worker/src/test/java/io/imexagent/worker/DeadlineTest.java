package io.imexagent.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
    private final Deadline deadline = Deadline.in(Duration.ofSeconds(4), now::get);

    @Test
    void tellsWhatIsLeft() {
        now.addAndGet(Duration.ofMillis(1500).toNanos());

        assertThat(deadline.left()).isEqualTo(Duration.ofMillis(2500));
        assertThat(deadline.leaving(Duration.ofSeconds(1)).left()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void nothingIsLeftAfterwards() {
        now.addAndGet(Duration.ofSeconds(5).toNanos());

        assertThat(deadline.left()).isZero();
        assertThat(deadline.leaving(Duration.ofSeconds(1)).left()).isZero();
    }
}
