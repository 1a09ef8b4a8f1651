package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReconcileQueueTest {

    private final ReconcileQueue<String> queue = new ReconcileQueue<>(System::nanoTime, () -> 0);

    @BeforeEach
    void open() {
        queue.open(true);
    }

    @Test
    void handsOutEachKeyOnceHoweverOftenItWasAdded() throws InterruptedException {
        queue.add("a");
        queue.add("a");
        queue.add("b");

        assertThat(queue.take()).contains("a");
        assertThat(queue.take()).contains("b");
        queue.done("a");
        queue.done("b");

        assertThat(queue.idle()).isTrue();
    }

    @Test
    void aKeyThatComesWhileItIsWorkedOnComesOnceMoreAfterwards() throws InterruptedException {
        queue.add("a");
        assertThat(queue.take()).contains("a");
        queue.add("a");
        queue.add("a");
        assertThat(queue.size()).isZero();

        queue.done("a");

        assertThat(queue.take()).contains("a");
        queue.done("a");
        assertThat(queue.idle()).isTrue();
    }

    @Test
    void aKeyThatFailsWaitsTwiceAsLongEachTimeUpToAMinute() throws InterruptedException {
        queue.add("a");
        assertThat(queue.take()).contains("a");

        assertThat(queue.failed("a", Duration.ZERO)).isEqualTo(Duration.ofMillis(50));
        assertThat(queue.failed("a", Duration.ZERO)).isEqualTo(Duration.ofMillis(100));
        for (int i = 0; i < 20; i++) {
            queue.failed("a", Duration.ZERO);
        }
        assertThat(queue.failed("a", Duration.ZERO)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void theServersOwnWaitIsKept() throws InterruptedException {
        queue.add("a");
        assertThat(queue.take()).contains("a");

        assertThat(queue.failed("a", Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aFailureDoesNotHoldTheOthers() throws InterruptedException {
        queue.add("a");
        queue.add("b");
        assertThat(queue.take()).contains("a");
        queue.failed("a", Duration.ofHours(1));

        assertThat(queue.take()).contains("b");
    }

    @Test
    void aKeyComesWhenItsTimeHasCome() throws InterruptedException {
        queue.addAfter("late", Duration.ofHours(1));
        queue.addAfter("late", Duration.ofMillis(20));

        assertThat(queue.take()).contains("late");
    }

    @Test
    void handsOutNothingWhileItIsNotOpen() throws Exception {
        queue.open(false);
        queue.add("a");
        CompletableFuture<Optional<String>> taken = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                taken.complete(queue.take());
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });
        assertThat(taken.completeOnTimeout(Optional.of("nothing"), 100, TimeUnit.MILLISECONDS)
                        .get())
                .contains("nothing");
    }

    @Test
    void closingEndsTheWaiting() throws InterruptedException {
        queue.close();

        assertThat(queue.take()).isEmpty();
    }
}
