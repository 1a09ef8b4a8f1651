package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.StubServer.json;
import static io.imexagent.kubernetes.http.StubServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchTest extends StubbedApi {

    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    private static final String NVLINK_NODES = "/apis/imexagent.io/v1alpha1/nvlinknodes";
    private static final NodeRef NODE = new NodeRef("node-a", "node-uid");

    private final BlockingQueue<List<ObservedSlice>> delivered = new LinkedBlockingQueue<>();
    private final BlockingQueue<BlockingQueue<String>> watches = new LinkedBlockingQueue<>();

    @BeforeEach
    void start() {
        server.on("GET " + SLICES, 200, list("5", slice("s", "4")));
        server.on("WATCH " + SLICES, (request, client) -> {
            BlockingQueue<String> lines = StubServer.lines();
            watches.add(lines);
            return server.stream(lines);
        });
    }

    @Test
    void deliversAllSlicesAtFirstAndAfterEveryChange() throws Exception {
        watch();
        assertThat(versions()).containsExactly("4");
        BlockingQueue<String> lines = next(watches);

        lines.add(event("MODIFIED", slice("s", "6")));
        assertThat(versions()).containsExactly("6");
        lines.add(event("ADDED", slice("t", "7")));
        assertThat(versions()).containsExactlyInAnyOrder("6", "7");
        lines.add(event("DELETED", slice("s", "8")) + "\n" + event("DELETED", slice("t", "9")));
        assertThat(versions()).containsExactly("7");
        assertThat(versions()).isEmpty();
    }

    @Test
    void goesOnFromTheLastVersionWhereTheServerEndedTheWatch() throws Exception {
        watch();
        BlockingQueue<String> first = next(watches);
        first.add(event("MODIFIED", slice("s", "6")));
        first.add(event("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"60\"}}"));
        StubServer.end(first);

        next(watches).add(event("MODIFIED", slice("s", "61")));

        assertThat(versions()).containsExactly("4");
        assertThat(versions()).containsExactly("6");
        assertThat(versions()).containsExactly("61");
        assertThat(queries("WATCH")).hasSize(2).last().asString().contains("resourceVersion=60");
        assertThat(queries("GET")).hasSize(1);
    }

    @Test
    void listsAgainWhereTheServerForgotTheVersion() throws Exception {
        watch();
        BlockingQueue<String> first = next(watches);
        server.on("GET " + SLICES, 200, list("90", slice("t", "89")));

        first.add(event("ERROR", status(410, "Expired", "too old resource version: 5 (80)", "")));

        assertThat(versions()).containsExactly("4");
        assertThat(versions()).containsExactly("89");
        next(watches);
        assertThat(queries("WATCH")).last().asString().contains("resourceVersion=90");
    }

    @Test
    void listsAgainWhereTheServerRefusesTheVersionAtOnce() throws Exception {
        var first = new AtomicBoolean(true);
        server.on("WATCH " + SLICES, (request, client) -> {
            if (first.getAndSet(false)) {
                return json(410, status(410, "Expired", "too old", ""));
            }
            BlockingQueue<String> lines = StubServer.lines();
            watches.add(lines);
            return server.stream(lines);
        });

        watch();
        next(watches);

        assertThat(queries("GET")).hasSize(2);
    }

    @Test
    void goesOnFromTheLastVersionWhereTheConnectionBroke() throws Exception {
        watch();
        next(watches).add(event("MODIFIED", slice("s", "6")));
        assertThat(versions()).containsExactly("4");
        assertThat(versions()).containsExactly("6");

        int port = server.port();
        server.close();
        server = StubServer.plain(port);
        server.on("WATCH " + SLICES, (request, client) -> {
            BlockingQueue<String> lines = StubServer.lines();
            watches.add(lines);
            return server.stream(lines);
        });

        next(watches).add(event("DELETED", slice("s", "7")));
        assertThat(versions()).isEmpty();
        assertThat(queries("WATCH")).first().asString().contains("resourceVersion=6");
    }

    @Test
    void comesBackAfterServerErrorsAndRefusals() throws Exception {
        var codes = new LinkedBlockingQueue<>(List.of(500, 429, 403));
        server.on("GET " + SLICES, (request, client) -> {
            Integer code = codes.poll();
            return code == null ? json(200, list("5", slice("s", "4"))) : json(code, status(code, "R", "m", ""));
        });

        watch();

        assertThat(versions()).containsExactly("4");
    }

    @Test
    void outlivesAListenerThatThrows() throws Exception {
        var first = new AtomicBoolean(true);
        api.slices("driver", "node-a").watch(NODE, slices -> {
            delivered.add(slices);
            if (first.getAndSet(false)) {
                throw new IllegalStateException("a listener's bug");
            }
        });
        next(watches).add(event("MODIFIED", slice("s", "6")));

        assertThat(versions()).containsExactly("4");
        assertThat(versions()).containsExactly("6");
    }

    @Test
    void closingWaitsForACallOfTheListenerThatIsUnderWay() throws Exception {
        var called = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var over = new AtomicBoolean();
        var watching = api.slices("driver", "node-a").watch(NODE, slices -> {
            called.countDown();
            try {
                goOn.await();
                Thread.sleep(20);
                over.set(true);
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();

        var closed = CompletableFuture.supplyAsync(() -> {
            watching.close();
            return over.get();
        });
        try {
            assertThatThrownBy(() -> closed.get(50, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        } finally {
            goOn.countDown();
        }

        assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void callsNoListenerAfterItIsClosed() throws Exception {
        var watching = api.slices("driver", "node-a").watch(NODE, delivered::add);
        assertThat(versions()).containsExactly("4");
        BlockingQueue<String> lines = next(watches);

        watching.close();
        lines.add(event("MODIFIED", slice("s", "6")));
        api.slices("driver", "node-a").watch(NODE, delivered::add);
        next(watches);

        assertThat(versions()).containsExactly("4");
        assertThat(delivered).isEmpty();
    }

    @Test
    void saysWhichRuleAWatchLacksAndStandsOnceItIsThere() throws Exception {
        var granted = new AtomicBoolean();
        BlockingQueue<String> lines = StubServer.lines();
        String denied = "nvlinknodes.imexagent.io is forbidden: User \\\"system:node:a\\\" cannot list resource";
        server.on(
                "GET " + NVLINK_NODES,
                (request, client) -> granted.get()
                        ? json(200, list("5", nvlinkNode("4", 1)))
                        : json(403, status(403, "Forbidden", denied, "")));
        server.on("WATCH " + NVLINK_NODES, (request, client) -> server.stream(lines));
        var told = new LinkedBlockingQueue<Optional<Stored<NvlinkNode>>>();
        api.fabric().watch("node-a", told::add);

        Polling.until(() -> api.state() instanceof ApiState.ApiFailing);
        ApiFailure failure = ((ApiState.ApiFailing) api.state()).failure();
        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message())
                .contains("verb list on nvlinknodes in API group \"imexagent.io\"")
                .contains("the group system:nodes");

        granted.set(true);
        assertThat(told.poll(30, TimeUnit.SECONDS))
                .map(node -> node.content().write())
                .contains(1L);
        lines.add(event("MODIFIED", nvlinkNode("6", 2)));
        assertThat(told.poll(30, TimeUnit.SECONDS))
                .map(node -> node.content().write())
                .contains(2L);
        lines.add(event("DELETED", nvlinkNode("7", 2)));
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEmpty();
    }

    private static String nvlinkNode(String version, int write) {
        return """
                {"metadata":{"uid":"u","name":"node-a","resourceVersion":"%s"},"spec":{"write":%d}}""".formatted(version, write);
    }

    @Test
    void endsItsThreadsWhenItIsClosed() throws Exception {
        watch();
        next(watches);
        assertThat(clientThreads()).isNotEmpty();

        api.close();

        Polling.until(WatchTest::clientThreads, List::isEmpty);
    }

    private static List<String> clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("HttpClient-"))
                .toList();
    }

    private void watch() {
        api.slices("driver", "node-a").watch(NODE, delivered::add);
    }

    private List<String> versions() throws InterruptedException {
        return next(delivered).stream().map(ObservedSlice::resourceVersion).toList();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private List<String> queries(String verb) {
        return server.requests().stream()
                .filter(request -> request.method().equals(verb))
                .map(StubServer.Request::query)
                .toList();
    }

    private static String list(String version, String item) {
        return "{\"metadata\":{\"resourceVersion\":\"" + version + "\"},\"items\":[" + item + "]}";
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private static String slice(String name, String version) {
        return "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"resourceVersion\":\"%s\"},\"spec\":{\"pool\":{\"name\":\"p\"}}}"
                .formatted(name, name, version);
    }
}
