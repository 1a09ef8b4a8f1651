package io.imexagent.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LoopTest {

    private final Semaphore turns = new Semaphore(0);

    @Test
    void turnsAtOnceAndAgainAfterItsPause() throws Exception {
        try (var loop = Loop.of("test", () -> turn(Duration.ofMillis(1)))) {
            loop.start();

            awaitTurns(5);
        }
    }

    @Test
    void aWakeEndsThePause() throws Exception {
        try (var loop = Loop.of("test", () -> turn(Signal.UNTIL_RAISED))) {
            loop.start();
            awaitTurns(1);

            loop.wake();

            awaitTurns(1);
        }
    }

    @Test
    void aWakeDuringATurnIsNotMissed() throws Exception {
        var during = new CountDownLatch(1);
        try (var loop = Loop.of("test", () -> {
            turns.release();
            during.await();
            return Signal.UNTIL_RAISED;
        })) {
            loop.start();
            awaitTurns(1);

            loop.wake();
            during.countDown();

            awaitTurns(1);
        }
    }

    @Test
    void aTurnThatThrowsIsNotTheLast() throws Exception {
        try (var loop = Loop.of("test", () -> {
            turns.release();
            throw new IllegalStateException("a defect");
        })) {
            loop.start();
            awaitTurns(1);

            loop.wake();

            awaitTurns(1);
        }
    }

    @Test
    void anErrorEndsItsTurnOnly() throws Exception {
        var first = new AtomicBoolean(true);
        try (var loop = Loop.of("test", () -> {
            turns.release();
            if (first.getAndSet(false)) {
                throw new StackOverflowError("a defect");
            }
            return Duration.ZERO;
        })) {
            loop.start();

            awaitTurns(5);
        }
    }

    @Test
    void aClosedLoopBreaksItsTurnOffAndCleansUp() throws Exception {
        var ended = new CountDownLatch(1);
        var loop = new Loop("test", new Signal()) {
            @Override
            protected Duration turn() throws InterruptedException {
                turns.release();
                Thread.sleep(Duration.ofHours(1));
                return Duration.ZERO;
            }

            @Override
            protected void ended() {
                ended.countDown();
            }
        };
        loop.start();
        awaitTurns(1);

        loop.close();

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(turns.availablePermits()).isZero();
    }

    @Test
    void aLoopThatFinishesEndsItsTurnAndTakesNoOther() throws Exception {
        var during = new CountDownLatch(1);
        var completed = new AtomicBoolean();
        var loop = Loop.of("test", () -> {
            turns.release();
            during.await();
            completed.set(true);
            return Duration.ZERO;
        });
        loop.start();
        awaitTurns(1);

        loop.finish();
        during.countDown();
        loop.join(Duration.ofSeconds(60));

        assertThat(completed).isTrue();
        assertThat(turns.availablePermits()).isZero();
    }

    @Test
    void aPauseEndsWhenTheLoopFinishes() throws Exception {
        var ended = new CountDownLatch(1);
        var loop = new Loop("test", new Signal()) {
            @Override
            protected Duration turn() {
                turns.release();
                return Signal.UNTIL_RAISED;
            }

            @Override
            protected void ended() {
                ended.countDown();
            }
        };
        loop.start();
        awaitTurns(1);

        loop.finish();

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTurnThatSwallowsTheInterruptionIsTheLastAllTheSame() throws Exception {
        var loop = Loop.of("test", () -> {
            turns.release();
            try {
                Thread.sleep(Duration.ofHours(1));
            } catch (InterruptedException swallowed) {
                // As a library may do that calls this thread's blocking calls.
            }
            return Signal.UNTIL_RAISED;
        });
        loop.start();
        awaitTurns(1);

        loop.close();
        loop.join(Duration.ofSeconds(60));

        assertThat(turns.availablePermits()).isZero();
        loop.wake();
        assertThat(turns.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Test
    void theFirstRequestStartsALoopAndTheNextOnesWakeIt() throws Exception {
        try (var loop = Loop.of("test", () -> turn(Signal.UNTIL_RAISED))) {
            loop.startOrWake();
            awaitTurns(1);

            loop.startOrWake();

            awaitTurns(1);
        }
    }

    private Duration turn(Duration pause) {
        turns.release();
        return pause;
    }

    private void awaitTurns(int count) throws InterruptedException {
        assertThat(turns.tryAcquire(count, 60, TimeUnit.SECONDS)).isTrue();
    }
}
