package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LifetimeTest {

    private final AtomicLong now = new AtomicLong(100);
    private final Lifetime lifetime = new Lifetime(now::get);

    @Test
    void runsFromItsStartToItsEnd() throws Exception {
        assertThat(lifetime.start(() -> {})).isTrue();

        CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(lifetime::end);
        lifetime.awaitEnd();

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anEndBreaksOffAStartThatWaits() throws Exception {
        var never = new CountDownLatch(1);

        boolean runs = lifetime.start(() -> {
            Thread.ofVirtual().start(lifetime::end);
            never.await();
        });

        assertThat(runs).isFalse();
        assertThat(Thread.interrupted()).isFalse();
        lifetime.awaitEnd();
    }

    @Test
    void whatFailsForTheInterruptionIsNoFailure() throws Exception {
        boolean runs = lifetime.start(() -> {
            lifetime.end();
            throw new IOException("a file was closed by the interruption");
        });

        assertThat(runs).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aStartThatCameThroughAlthoughItsEndWasAskedForDoesNotRun() throws Exception {
        assertThat(lifetime.start(lifetime::end)).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aStartThatFailsByItselfFails() {
        assertThatThrownBy(() -> lifetime.start(() -> {
                    throw new IOException("the port is taken");
                }))
                .hasMessage("the port is taken");
    }

    @Test
    void anEndAfterTheStartInterruptsNobody() throws Exception {
        lifetime.start(() -> {});

        lifetime.end();

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theStopIsCountedFromTheFirstTimeThatItWasAskedFor() throws Exception {
        lifetime.start(() -> {});
        lifetime.end();
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        lifetime.end();

        assertThat(lifetime.stopDeadline().left()).isEqualTo(Lifetime.STOP.minusSeconds(1));
    }

    @Test
    void theStopOfAFailedStartIsCountedFromNow() {
        assertThat(lifetime.stopDeadline().left()).isEqualTo(Lifetime.STOP);
    }
}
