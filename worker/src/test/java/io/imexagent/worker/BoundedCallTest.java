package io.imexagent.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BoundedCallTest {

    private final Worker worker = new Worker("test", 1, WorkerObserver.NONE, System::nanoTime);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        letGo.countDown();
        worker.close();
    }

    @Test
    void whileACallHangsNoOtherIsMade() throws Exception {
        var bounded = new BoundedCall<Integer>(worker, Duration.ofMillis(20));

        assertThat(bounded.result(this::hangs)).isEmpty();
        assertThat(bounded.result(() -> calls.addAndGet(10))).isEmpty();
        assertThat(bounded.result(() -> calls.addAndGet(10))).isEmpty();

        assertThat(calls).hasValueLessThan(2);
    }

    @Test
    void theResultOfACallThatHungIsNotTheOneOfALaterCall() throws Exception {
        var bounded = new BoundedCall<Integer>(worker, Duration.ofMillis(200));
        assertThat(bounded.result(this::hangs)).isEmpty();

        letGo.countDown();

        assertThat(bounded.result(() -> 7)).contains(7);
    }

    @Test
    void aCallThatThrowsSaysSoAndTheNextOneIsMade() throws Exception {
        var bounded = new BoundedCall<Integer>(worker, Duration.ofSeconds(30));

        assertThatThrownBy(() -> bounded.result(() -> {
                    throw new IOException("broken");
                }))
                .hasRootCauseMessage("broken");
        assertThat(bounded.result(() -> 7)).contains(7);
    }

    private int hangs() throws InterruptedException {
        letGo.await();
        return calls.incrementAndGet();
    }
}
