package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadyNodesTest {

    private static final NodeListing NODES = new NodeListing(Map.of("tray-1", true), Map.of(), 0);

    private final AtomicLong now = new AtomicLong();
    private final FakeCluster cluster = new FakeCluster();
    private volatile boolean failing;
    private final FakeClient client =
            new FakeClient(cluster).cutting(call -> failing ? Optional.of(FakeClient.Cut.BEFORE) : Optional.empty());
    private final ReadyNodes nodes =
            new ReadyNodes(new ClusterState(work -> {}), client::fabric, Optional.empty(), now::get);
    private int lists;

    @BeforeEach
    void oneNode() {
        cluster.kubernetesNodes.put("tray-1", true);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void whoAsksOftenListsOnceInFiveMinutes() {
        assertThat(nodes.recent()).isEmpty();
        awaitList();
        for (int i = 0; i < 100; i++) {
            awaitKnown();
        }
        assertThat(client.calls()).hasSize(lists);

        now.addAndGet(Duration.ofMinutes(5).toNanos());
        assertThat(nodes.recent()).contains(NODES);
        awaitList();
    }

    @Test
    void whatIsOldIsNotShown() {
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
    void saysWhyTheNodesWereNotListedUntilTheyAre() {
        failing = true;
        nodes.recent();
        awaitList();
        await(() -> nodes.failure().isPresent());
        assertThat(nodes.failure()).contains("cut before list Node");

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

    private void awaitList() {
        lists++;
        await(() -> client.calls().size() == lists);
        assertThat(client.calls()).hasSize(lists).containsOnly("list Node");
    }

    private void awaitKnown() {
        await(() -> nodes.recent().isPresent());
        assertThat(nodes.recent()).contains(NODES);
    }
}
