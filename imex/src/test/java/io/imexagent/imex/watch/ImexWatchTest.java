package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.watch.ImexWatch.ImexObserver;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ImexWatchTest {

    private final Worker worker = new Worker("imex", 1, WorkerObserver.NONE, System::nanoTime);
    private final AtomicReference<ImexHealth> told = new AtomicReference<>(Healths.up());
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();
    private final List<String> observed = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch hold = new CountDownLatch(0);
    private volatile boolean broken;
    private final ImexWatch watch = new ImexWatch(
            worker,
            () -> {
                assertThat(atOnce.incrementAndGet()).isEqualTo(1);
                try {
                    looks.incrementAndGet();
                    hold.await();
                    if (broken) {
                        throw new IllegalStateException("a defect of the test's making");
                    }
                    return told.get();
                } finally {
                    atOnce.decrementAndGet();
                }
            },
            () -> Duration.ofMillis(10),
            new ImexObserver() {
                @Override
                public void checked(ImexHealth health, Duration took) {
                    observed.add(health.verdict().code());
                }

                @Override
                public void failed(String reason) {
                    observed.add("failed " + reason);
                }
            },
            System::nanoTime);

    @AfterEach
    void close() {
        watch.close();
        worker.close();
    }

    @Test
    void looksAgainAndAgainAndTellsOfChangesOnly() throws Exception {
        watch.onChange(health -> changes.incrementAndGet());
        assertThat(watch.current()).isEmpty();
        watch.start();

        eventually(() -> looks.get() > 5);
        assertThat(watch.current()).contains(Healths.up());
        assertThat(changes).hasValue(1);

        told.set(Healths.down());
        eventually(() -> changes.get() == 2);
        assertThat(watch.current()).contains(Healths.down());
        assertThat(observed).contains("up", "domain-down");
    }

    @Test
    void aLookThatHangsIsTheOnlyOne() throws Exception {
        hold = new CountDownLatch(1);
        watch.start();
        eventually(() -> looks.get() == 1);

        for (int i = 0; i < 5; i++) {
            watch.wake();
        }
        Thread.sleep(50);

        assertThat(looks).hasValue(1);
        assertThat(watch.current()).isEmpty();
        hold.countDown();
        eventually(() -> looks.get() > 2);
    }

    @Test
    void aDefectLeavesWhatWasKnown() throws Exception {
        watch.start();
        eventually(() -> watch.current().isPresent());

        broken = true;
        eventually(() -> observed.contains("failed defect"));

        assertThat(watch.current()).contains(Healths.up());
    }

    @Test
    void aListenerThatFailsHarmsNoOther() throws Exception {
        watch.onChange(health -> {
            throw new IllegalStateException("a defect of the test's making");
        });
        watch.onChange(health -> changes.incrementAndGet());
        watch.start();

        eventually(() -> changes.get() == 1);
        told.set(Healths.degraded());
        eventually(() -> changes.get() == 2);
    }

    private static void eventually(BooleanSupplier condition) throws InterruptedException {
        for (int wait = 0; wait < 1000; wait++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("it has not come true");
    }
}
