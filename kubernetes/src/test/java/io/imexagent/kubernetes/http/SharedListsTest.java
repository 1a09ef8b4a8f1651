package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Looks of many prepares for the ComputeDomains of one namespace, whose claims do not name them. */
class SharedListsTest extends StubbedApi {

    private static final String DOMAINS = "GET /apis/resource.nvidia.com/v1beta1/namespaces/ns/computedomains";
    private static final int CROWD = 50;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final AtomicInteger lists = new AtomicInteger();

    @Test
    void whoComesWhileAListIsUnderWaySharesTheNext() throws Exception {
        firstListWaits(page());
        FutureTask<Optional<DomainRef>> first = look("uid-0");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        List<FutureTask<Optional<DomainRef>>> crowd = new ArrayList<>();
        for (int i = 1; i < CROWD; i++) {
            crowd.add(look("uid-" + i));
        }
        FutureTask<Optional<DomainRef>> none = look("another");
        awaitParked(CROWD);

        answered.countDown();

        assertThat(first.get(20, TimeUnit.SECONDS)).map(DomainRef::name).contains("d-0");
        for (int i = 1; i < CROWD; i++) {
            assertThat(crowd.get(i - 1).get(20, TimeUnit.SECONDS))
                    .map(DomainRef::name)
                    .contains("d-" + i);
        }
        assertThat(none.get(20, TimeUnit.SECONDS)).isEmpty();
        assertThat(lists).hasValue(2);
    }

    @Test
    void aCallerThatGivesUpTakesTheListFromNobody() throws Exception {
        firstListWaits(page());
        FutureTask<Optional<DomainRef>> first = look("uid-0");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        FutureTask<Optional<DomainRef>> second = look("uid-1");
        FutureTask<Optional<DomainRef>> third = look("uid-2");
        awaitParked(2);

        first.cancel(true);
        second.cancel(true);
        answered.countDown();

        assertThat(third.get(20, TimeUnit.SECONDS)).map(DomainRef::name).contains("d-2");
    }

    @Test
    void aListThatFailsFailsForAllWhoShareIt() throws Exception {
        firstListWaits(page());
        FutureTask<Optional<DomainRef>> first = look("uid-0");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        FutureTask<Optional<DomainRef>> second = look("uid-1");
        FutureTask<Optional<DomainRef>> third = look("uid-2");
        awaitParked(2);
        server.on(DOMAINS, (request, client) -> {
            lists.incrementAndGet();
            return StubServer.json(403, StubServer.status(403, "Forbidden", "no", ""));
        });

        answered.countDown();

        assertThat(first.get(20, TimeUnit.SECONDS)).isPresent();
        for (FutureTask<Optional<DomainRef>> look : List.of(second, third)) {
            assertThatThrownBy(() -> look.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(ApiException.class);
        }
        assertThat(lists).hasValue(2);
    }

    private void firstListWaits(String page) {
        server.on(DOMAINS, (request, client) -> {
            if (lists.getAndIncrement() == 0) {
                asked.countDown();
                answered.await();
            }
            return StubServer.json(200, page);
        });
    }

    private final List<Thread> lookers = new ArrayList<>();

    private FutureTask<Optional<DomainRef>> look(String uid) {
        var task = new FutureTask<>(() -> api.domains().in("ns", new ComputeDomainUid(uid)));
        lookers.add(Thread.ofPlatform().daemon().start(task));
        return task;
    }

    /** Waits until so many of those that look wait for their turn. */
    private void awaitParked(int count) throws InterruptedException {
        while (lookers.stream()
                        .filter(thread -> thread.getState() == Thread.State.WAITING)
                        .count()
                < count) {
            Thread.sleep(5);
        }
    }

    private static String page() {
        return IntStream.range(0, CROWD)
                .mapToObj(i -> """
                        {"metadata":{"uid":"uid-%1$d","namespace":"ns","name":"d-%1$d","resourceVersion":"1"}}""".formatted(i))
                .collect(Collectors.joining(",", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[", "]}"));
    }
}
