package io.imexagent.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.worker.Worker.QueueFullException;
import io.imexagent.worker.Worker.WorkerObserver;
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
    private final Worker worker = new Worker("test", CAPACITY, told, now::get);
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        worker.close();
    }

    @Test
    void runsTasksOneAfterTheOtherInTheOrderOfTheirComing() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Boolean> held = hold();

        CompletableFuture<Boolean> first = worker.submit(() -> order.add(1));
        CompletableFuture<Boolean> second = worker.submit(() -> order.add(2));
        gate.countDown();

        assertThat(value(held)).isTrue();
        assertThat(value(first)).isTrue();
        assertThat(value(second)).isTrue();
        assertThat(order).containsExactly(1, 2);
    }

    @Test
    void runsEveryTaskOnTheSameNamedThread() throws Exception {
        Thread first = value(worker.submit(Thread::currentThread));
        Thread second = value(worker.submit(Thread::currentThread));

        assertThat(first).isSameAs(second);
        assertThat(first.getName()).isEqualTo("worker-test");
        assertThat(first.isVirtual()).isFalse();
        assertThat(first.isDaemon()).isTrue();
    }

    @Test
    void turnsAwayWhatItsQueueCannotHold() throws Exception {
        assertThat(hold()).isNotDone();
        assertThat(worker.submit(() -> 1)).isNotDone();
        assertThat(worker.submit(() -> 2)).isNotDone();

        CompletableFuture<Integer> surplus = worker.submit(() -> 3);

        assertThat(worker.waiting()).isEqualTo(CAPACITY);
        assertThatThrownBy(() -> value(surplus))
                .hasCauseInstanceOf(QueueFullException.class)
                .hasMessageContaining("worker test is full: 2 tasks wait");
        assertThat(told.rejected).containsExactly("test");
    }

    @Test
    void handsTheFailureOfATaskToWhoeverSubmittedIt() throws Exception {
        var failed = worker.<Integer>submit(() -> {
            throw new IllegalStateException("broken");
        });

        assertThatThrownBy(() -> value(failed)).hasRootCauseMessage("broken");
        assertThat(value(worker.submit(() -> 1))).isEqualTo(1);
    }

    @Test
    void tellsHowLongItsTaskHasBeenRunning() throws Exception {
        assertThat(worker.busyFor()).isEmpty();
        CompletableFuture<Boolean> held = hold();

        now.addAndGet(Duration.ofSeconds(7).toNanos());

        assertThat(worker.busyFor()).contains(Duration.ofSeconds(7));
        gate.countDown();
        value(held);
        // The next task begins once the one before has ended wholly.
        assertThat(value(worker.submit(() -> worker.busyFor().orElseThrow()))).isZero();
        assertThat(told.ended).contains(Duration.ofSeconds(7));
    }

    @Test
    void leavesNoFutureOpenWhenItCloses() throws Exception {
        assertThat(hold()).isNotDone();
        CompletableFuture<Integer> waiting = worker.submit(() -> 5);

        worker.close();

        assertThatThrownBy(() -> value(waiting)).hasCauseInstanceOf(QueueFullException.class);
        assertThat(told.rejected).containsExactly("test");
    }

    /** Holds the worker until the gate opens; returns once the worker is held. */
    private CompletableFuture<Boolean> hold() throws InterruptedException {
        var begun = new CountDownLatch(1);
        CompletableFuture<Boolean> held = worker.submit(() -> {
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
        public void ended(String worker, Duration took) {
            ended.add(took);
        }

        @Override
        public void rejected(String worker) {
            rejected.add(worker);
        }
    }
}
