package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.worker.Deadline;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StoppingTest {

    @Test
    void aPartThatStopsIsGivenTheDeadline() throws Exception {
        Deadline deadline = Deadline.in(Duration.ofSeconds(30), System::nanoTime);
        var given = new AtomicReference<Deadline>();

        assertThat(Lifetime.stop(given::set, deadline)).isTrue();

        assertThat(given.get()).isEqualTo(deadline);
    }

    @Test
    void aPartThatHangsIsLeftBehind() throws Exception {
        var never = new CountDownLatch(1);
        long began = System.nanoTime();

        boolean stopped =
                Lifetime.stop(deadline -> never.await(), Deadline.in(Duration.ofMillis(50), System::nanoTime));

        assertThat(stopped).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(50), Duration.ofSeconds(20));
    }

    @Test
    void aDeadlineThatIsOverDoesNotWaitForEver() throws Exception {
        var never = new CountDownLatch(1);

        assertThat(Lifetime.stop(deadline -> never.await(), Deadline.in(Duration.ZERO, System::nanoTime)))
                .isFalse();
    }
}
