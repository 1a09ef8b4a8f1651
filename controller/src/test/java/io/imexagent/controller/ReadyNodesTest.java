package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ReadyNodesTest {

    private static final NodeListing NODES = new NodeListing(Map.of("tray-1", true), 0);

    private final AtomicLong now = new AtomicLong();
    private final BlockingQueue<Boolean> lists = new LinkedBlockingQueue<>();
    private volatile boolean failing;
    private final ReadyNodes nodes = new ReadyNodes(
            () -> {
                lists.add(true);
                if (failing) {
                    throw new ApiException(new ApiFailure(
                            ApiFailure.FailureKind.UNREACHABLE, "the API server is away", Optional.empty()));
                }
                return NODES;
            },
            now::get);

    @Test
    void whoAsksOftenListsOnceInFiveMinutes() throws InterruptedException {
        assertThat(nodes.recent()).isEmpty();
        awaitList();
        for (int i = 0; i < 100; i++) {
            awaitKnown();
        }
        assertThat(lists).isEmpty();

        now.addAndGet(Duration.ofMinutes(5).toNanos());
        assertThat(nodes.recent()).contains(NODES);
        awaitList();
    }

    @Test
    void whatIsOldIsNotShown() throws InterruptedException {
        nodes.recent();
        awaitList();
        awaitKnown();
        failing = true;

        now.addAndGet(Duration.ofMinutes(10).toNanos());

        assertThat(nodes.recent()).isEmpty();
        awaitList();
        assertThat(nodes.recent()).isEmpty();
    }

    @Test
    void saysWhyTheNodesWereNotListedUntilTheyAre() throws InterruptedException {
        failing = true;
        nodes.recent();
        awaitList();
        await(() -> nodes.failure().isPresent());
        assertThat(nodes.failure()).contains("the API server is away");

        failing = false;
        now.addAndGet(Duration.ofMinutes(5).toNanos());
        awaitKnown();
        assertThat(nodes.failure()).isEmpty();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private void awaitList() throws InterruptedException {
        assertThat(lists.poll(30, TimeUnit.SECONDS)).isNotNull();
    }

    private void awaitKnown() {
        await(() -> nodes.recent().isPresent());
        assertThat(nodes.recent()).contains(NODES);
    }
}
