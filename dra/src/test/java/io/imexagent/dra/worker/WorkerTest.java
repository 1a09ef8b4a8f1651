package io.imexagent.dra.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {

    private static final int CAPACITY = 2;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong();
    private final Told told = new Told();
    private final Worker lane = new Worker("test", CAPACITY, told, now::get);
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        lane.close();
    }

    @Test
    void runsTasksOneAfterTheOtherInTheOrderOfTheirComing() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Boolean> held = hold();

        CompletableFuture<Boolean> first = lane.submit(() -> order.add(1));
        CompletableFuture<Boolean> second = lane.submit(() -> order.add(2));
        gate.countDown();

        assertThat(value(held)).isTrue();
        assertThat(value(first)).isTrue();
        assertThat(value(second)).isTrue();
        assertThat(order).containsExactly(1, 2);
    }

    @Test
    void runsEveryTaskOnTheSameNamedThread() throws Exception {
        Thread first = value(lane.submit(Thread::currentThread));
        Thread second = value(lane.submit(Thread::currentThread));

        assertThat(first).isSameAs(second);
        assertThat(first.getName()).isEqualTo("lane-test");
        assertThat(first.isVirtual()).isFalse();
        assertThat(first.isDaemon()).isTrue();
    }

    @Test
    void turnsAwayWhatItsQueueCannotHold() throws Exception {
        assertThat(hold()).isNotDone();
        assertThat(lane.submit(() -> 1)).isNotDone();
        assertThat(lane.submit(() -> 2)).isNotDone();

        CompletableFuture<Integer> surplus = lane.submit(() -> 3);

        assertThat(lane.waiting()).isEqualTo(CAPACITY);
        assertThatThrownBy(() -> value(surplus))
                .hasCauseInstanceOf(QueueFullException.class)
                .hasMessageContaining("lane test is full: 2 tasks wait");
        assertThat(told.rejected).containsExactly("test");
    }

    @Test
    void handsTheFailureOfATaskToWhoeverSubmittedIt() throws Exception {
        var failed = lane.<Integer>submit(() -> {
            throw new IllegalStateException("broken");
        });

        assertThatThrownBy(() -> value(failed)).hasRootCauseMessage("broken");
        assertThat(value(lane.submit(() -> 1))).isEqualTo(1);
    }

    @Test
    void tellsHowLongItsTaskHasBeenRunning() throws Exception {
        assertThat(lane.busyFor()).isEmpty();
        CompletableFuture<Boolean> held = hold();

        now.addAndGet(Duration.ofSeconds(7).toNanos());

        assertThat(lane.busyFor()).contains(Duration.ofSeconds(7));
        gate.countDown();
        value(held);
        // The next task begins once the one before has ended wholly.
        assertThat(value(lane.submit(() -> lane.busyFor().orElseThrow()))).isZero();
        assertThat(told.ended).contains(Duration.ofSeconds(7));
    }

    @Test
    void drainsByRunningWhatItHas() throws Exception {
        CompletableFuture<Boolean> held = hold();
        CompletableFuture<Integer> waiting = lane.submit(() -> 5);
        gate.countDown();

        lane.drain(LONG);

        assertThat(held).isCompletedWithValue(true);
        assertThat(waiting).isCompletedWithValue(5);
        assertThatThrownBy(() -> value(lane.submit(() -> 6))).hasMessageContaining("lane test is closed");
    }

    @Test
    void turnsAwayWhatStillWaitsWhenADrainTakesTooLong() throws Exception {
        CompletableFuture<Boolean> held = hold();
        CompletableFuture<Integer> waiting = lane.submit(() -> 5);

        lane.drain(Duration.ZERO);

        assertThatThrownBy(() -> value(waiting)).hasMessageContaining("closed before the task began");
        assertThatThrownBy(() -> value(held)).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void leavesNoFutureOpenWhenItCloses() throws Exception {
        assertThat(hold()).isNotDone();
        CompletableFuture<Integer> waiting = lane.submit(() -> 5);

        lane.close();

        assertThatThrownBy(() -> value(waiting)).hasCauseInstanceOf(QueueFullException.class);
        assertThat(told.rejected).containsExactly("test");
    }

    /** Holds the lane until the gate opens; returns once the lane is held. */
    private CompletableFuture<Boolean> hold() throws InterruptedException {
        var begun = new CountDownLatch(1);
        CompletableFuture<Boolean> held = lane.submit(() -> {
            begun.countDown();
            gate.await();
            return true;
        });
        assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return held;
    }

    private static <T> T value(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }

    private static final class Told implements WorkerObserver {

        private final List<String> rejected = Collections.synchronizedList(new ArrayList<>());
        private final List<Duration> ended = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void ended(String lane, Duration took) {
            ended.add(took);
        }

        @Override
        public void rejected(String lane) {
            rejected.add(lane);
        }
    }
}
