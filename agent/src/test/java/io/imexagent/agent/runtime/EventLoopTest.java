package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {

    private final Vertx kubelet = EventLoop.create();
    private final Vertx pages = EventLoop.forPages();
    private final CountDownLatch held = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        held.countDown();
        for (Vertx one : new Vertx[] {kubelet, pages}) {
            one.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void pagesThatKeepTheirEventLoopBusyDelayNoCallOfTheKubelet() throws Exception {
        var busy = new CompletableFuture<Thread>();
        pages.runOnContext(flooded -> {
            busy.complete(Thread.currentThread());
            hold();
        });
        Thread flooded = busy.get(10, TimeUnit.SECONDS);
        var called = new CompletableFuture<Thread>();
        kubelet.runOnContext(call -> called.complete(Thread.currentThread()));

        assertThat(called.get(10, TimeUnit.SECONDS)).isNotSameAs(flooded);
        assertThat(EventLoop.answers(CompletableFuture.completedFuture(pages), Duration.ofMillis(50)))
                .isFalse();
    }

    private void hold() {
        try {
            held.await();
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    /** Netty logs a stack trace where an event loop ends while a server begins to listen on it. */
    @Test
    void whatIsBegunEndsBeforeTheEventLoop() throws Exception {
        var begun = new CompletableFuture<Integer>();
        var vertx = new CompletableFuture<Vertx>();

        CompletableFuture<Vertx> closed = EventLoop.onceEnded(begun, vertx);
        vertx.complete(null);
        assertThat(closed).isNotDone();

        begun.completeExceptionally(new IOException("the port is taken"));
        assertThat(closed).isCompletedWithValue(null);
    }
}
