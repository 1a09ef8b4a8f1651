package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.access.KubeconfigFile;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A defect of this program does not end a watch. */
class ReflectorTest {

    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";

    @TempDir
    Path folder;

    private final RateLimiter limiter = RateLimiter.unpaced(2);
    private final BlockingQueue<WatchUpdate<String>> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<BlockingQueue<String>> watches = new LinkedBlockingQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile String broken = "";
    private StubServer server;
    private Transport transport;
    private Reflectors reflectors;

    @BeforeEach
    void start() throws IOException {
        server = StubServer.plain();
        server.on("GET " + SLICES, 200, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" + slice("a") + "]}");
        server.on("WATCH " + SLICES, (request, client) -> {
            BlockingQueue<String> lines = StubServer.lines();
            watches.add(lines);
            return server.stream(lines);
        });
        Path kubeconfig = KubeconfigFile.write(folder, "http://127.0.0.1:" + server.port(), "", "token: hunter2");
        transport = new Transport(
                Caller.AGENT,
                new ClusterAccess(
                        "kubernetes.kubeconfig",
                        List.of(kubeconfig),
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofSeconds(20)),
                "test",
                InstantSource.system(),
                (verb, resource, failure, took) -> failure.ifPresent(kind -> failures.add(verb + " " + kind)));
        reflectors = new Reflectors(transport, () -> 0.5);
    }

    @AfterEach
    void stop() {
        reflectors.close();
        transport.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"decoder", "listener"})
    void anErrorIsToldUntilTheWatchStandsAgain(String part) throws Exception {
        watch();
        assertThat(next(told)).isEqualTo(new WatchUpdate.ObjectsListed<>(List.of("a"), "5"));
        assertThat(reflectors.failure()).isEmpty();

        broken = part;
        next(watches).add("{\"type\":\"ADDED\",\"object\":" + slice("b") + "}");
        ApiFailure failure =
                Polling.until(reflectors::failure, last -> last.isPresent()).orElseThrow();
        assertThat(failure.message())
                .isEqualTo("cannot watch ResourceSlices of all namespaces: a defect: java.lang.StackOverflowError");
        assertThat(failures).contains("watch UNREADABLE");

        broken = "";
        assertThat(next(told)).isEqualTo(new WatchUpdate.ObjectsListed<>(List.of("a"), "5"));
        next(watches).add("{\"type\":\"ADDED\",\"object\":" + slice("b") + "}");
        assertThat(next(told)).isEqualTo(new WatchUpdate.ObjectChanged<>("b"));
        assertThat(reflectors.failure()).isEmpty();
    }

    private void watch() {
        var decoder = new Decoder<>(FieldSelection.of("metadata.name"), fields -> {
            breakDown("decoder");
            return fields.text("metadata.name");
        });
        var slices = new Resource<>(transport, limiter, Resource.DRA, "ResourceSlice", decoder);
        reflectors.of(Collection.everywhere(slices)).start(news -> {
            breakDown("listener");
            told.add(news);
        });
    }

    private void breakDown(String part) {
        if (broken.equals(part)) {
            throw new StackOverflowError();
        }
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private static String slice(String name) {
        return "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"resourceVersion\":\"6\"}}".formatted(name, name);
    }
}
