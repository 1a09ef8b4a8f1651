package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.RecordedCell;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FabricTests against an API server that keeps versions as a real one does, and against one that lacks their definition. */
class FabricTestsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");
    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");
    private static final String PATH = "/apis/imexagent.io/v1alpha1/fabrictests";

    @TempDir
    Path folder;

    private final ClientFixture fixture = new ClientFixture();
    private ApiDouble server;
    private HttpKubernetesApi api;

    @BeforeEach
    void start() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions().token("hunter2", UserIdentity.ADMIN));
        api = fixture.client(
                server.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("hunter2")),
                Duration.ofSeconds(20));
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private static FabricIdentity identity(String uid) {
        return new FabricIdentity(
                uid, Optional.of(new BootId("boot-" + uid)), OptionalLong.of(71_000_001), Optional.of("580.95.05"));
    }

    private static RecordedRun run(String id, RecordedNode... nodes) {
        return new RecordedRun(id, "alice", FabricLevel.MAP, NOON, NOON.plusSeconds(40), List.of(nodes));
    }

    private static RecordedRun pair(String id) {
        return run(
                id,
                RecordedNode.of(
                        "tray-1",
                        identity("u1"),
                        List.of(new RecordedCell.OwnImport(), new RecordedCell.ProvenImport())),
                RecordedNode.of(
                        "tray-2",
                        new FabricIdentity("u2", Optional.empty(), OptionalLong.empty(), Optional.empty()),
                        List.of(
                                new RecordedCell.FailedImport(OptionalInt.of(400), true),
                                new RecordedCell.OwnImport())));
    }

    @Test
    void aRunIsReadAsItWasRecorded() throws ApiException {
        Stored<FabricTest> recorded = api.fabric().record(CLIQUE, pair("one"));

        assertThat(recorded.content().runs()).containsExactly(pair("one"));
        assertThat(api.fabric().tests().get(CLIQUE.text())).contains(recorded);
        assertThat(server.get(ResourceType.FABRIC_TESTS, "", CLIQUE.text())
                        .orElseThrow()
                        .at("/spec/proven")
                        .asText())
                .isEqualTo("1/2");
    }

    @Test
    void theLastFourRunsAreKeptAndARunThatIsRecordedAgainCountsOnce() throws ApiException {
        for (String id : List.of("one", "two", "three", "four", "five", "four")) {
            var _ = api.fabric().record(CLIQUE, pair(id));
        }

        assertThat(api.fabric()
                        .tests()
                        .get(CLIQUE.text())
                        .orElseThrow()
                        .content()
                        .runs())
                .extracting(RecordedRun::id)
                .containsExactly("four", "five", "three", "two");
    }

    @Test
    void twoRunnersThatWriteAtATimeLoseNothing() throws Exception {
        List<Thread> runners = IntStream.range(0, 3)
                .mapToObj(number -> Thread.ofVirtual().unstarted(() -> {
                    try {
                        var _ = api.fabric().record(CLIQUE, pair("run-" + number));
                    } catch (ApiException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toList();
        runners.forEach(Thread::start);
        for (Thread runner : runners) {
            runner.join();
        }

        assertThat(api.fabric()
                        .tests()
                        .get(CLIQUE.text())
                        .orElseThrow()
                        .content()
                        .runs())
                .extracting(RecordedRun::id)
                .containsExactlyInAnyOrder("run-0", "run-1", "run-2");
    }

    @Test
    void fourFullRunsOfTheLargestDomainFit() throws ApiException {
        List<RecordedCell> row =
                Collections.nCopies(RecordedRun.MOST_NODES, new RecordedCell.FailedImport(OptionalInt.of(9999), true));
        RecordedNode[] nodes = IntStream.range(0, RecordedRun.MOST_NODES)
                .mapToObj(at -> RecordedNode.of("n".repeat(250) + "%03d".formatted(at), identity("u" + at), row))
                .toArray(RecordedNode[]::new);
        for (int run = 0; run < FabricTest.MOST_RUNS; run++) {
            var _ = api.fabric().record(CLIQUE, run("run-" + run, nodes));
        }

        assertThat(api.fabric()
                        .tests()
                        .get(CLIQUE.text())
                        .orElseThrow()
                        .content()
                        .runs())
                .hasSize(FabricTest.MOST_RUNS)
                .allSatisfy(run -> assertThat(run.nodes()).containsExactly(nodes));
    }

    @ParameterizedTest
    @CsvSource({
        "+, true",
        "., true",
        "-, true",
        "F, true",
        "T, true",
        "400, true",
        "9999!, true",
        "F!, true",
        "T!, true"
    })
    @CsvSource({"+!, false", "0, false", "10000, false", "01, false", "ok, false", "'', false", "!, false"})
    void aCellIsReadAsItIsWritten(String text, boolean valid) {
        assertThat(RecordedCell.parse(text).map(RecordedCell::text))
                .isEqualTo(Optional.of(text).filter(any -> valid));
    }

    @Test
    void whatARowLacksOrSaysOtherwiseWasNotTried() {
        var node = new RecordedNode("tray-1", identity("u1"), "- + what");

        assertThat(node.row(4)).extracting(RecordedCell::text).containsExactly("-", "+", ".", ".");
        assertThat(node.row(1)).extracting(RecordedCell::text).containsExactly("-");
    }

    /** Of a later version, or of an administrator who wrote by hand. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":\"two\",\"by\":\"b\",\"level\":\"multicast\",\"started\":\"2026-11-28T12:00:00Z\",\"ended\":\"2026-11-28T12:00:00Z\",\"nodes\":[]}",
                "{\"id\":\"two\",\"by\":\"b\",\"level\":\"map\",\"started\":\"now\",\"ended\":\"2026-11-28T12:00:00Z\",\"nodes\":[]}",
                "{\"id\":\"two\",\"level\":\"map\",\"nodes\":7}",
                "{\"id\":\"two\",\"by\":\"b\",\"level\":\"map\",\"started\":\"2026-11-28T12:00:00Z\",\"ended\":\"2026-11-28T12:00:00Z\",\"nodes\":[{\"name\":\"n\"}]}"
            })
    void aRunThatCannotBeReadHidesNoOther(String odd) throws Exception {
        var _ = api.fabric().record(CLIQUE, pair("one"));
        var object = server.get(ResourceType.FABRIC_TESTS, "", CLIQUE.text())
                .orElseThrow()
                .deepCopy();
        object.withArray("/spec/runs").insert(0, JSON.readTree(odd));
        server.apply(object);

        assertThat(api.fabric()
                        .tests()
                        .get(CLIQUE.text())
                        .orElseThrow()
                        .content()
                        .runs())
                .extracting(RecordedRun::id)
                .containsExactly("one");
    }

    @Test
    void anAgentMayNotRecord() throws IOException {
        try (HttpKubernetesApi agent = fixture.client(
                server.writeKubeconfig(folder.resolve("agent"), new Login.TokenLogin("node:tray-1")),
                Duration.ofSeconds(20))) {
            assertThat(failure(() -> agent.fabric().record(CLIQUE, pair("one"))).kind())
                    .isEqualTo(FailureKind.FORBIDDEN);
        }
    }

    @Test
    void aControllerFollowsWhatIsRecorded() throws Exception {
        try (HttpControlPlane cluster = fixture.controlPlane(
                server.writeKubeconfig(folder.resolve("controller"), new Login.TokenLogin("hunter2")),
                Duration.ofSeconds(20))) {
            BlockingQueue<WatchUpdate<Stored<FabricTest>>> updates = new LinkedBlockingQueue<>();
            Supplier<Optional<ApiFailure>> failure = cluster.watchTests(updates::add);
            assertThat(updates.poll(20, TimeUnit.SECONDS)).isInstanceOf(WatchUpdate.ObjectsListed.class);
            Stored<FabricTest> recorded = api.fabric().record(CLIQUE, pair("one"));

            assertThat(updates.poll(20, TimeUnit.SECONDS)).isEqualTo(new WatchUpdate.ObjectChanged<>(recorded));
            assertThat(failure.get()).isEmpty();
        }
    }

    /** A cluster whose manifests are those of an earlier version: without the definition, or without the right to read. */
    @ParameterizedTest
    @ValueSource(ints = {404, 403})
    void aClusterWithoutTheResultsIsNoFailureOfTheController(int code) throws Exception {
        try (StubServer older = StubServer.plain()) {
            older.on("GET " + PATH, code, "{\"kind\":\"Status\",\"code\":" + code + ",\"message\":\"no\"}");
            try (HttpControlPlane cluster =
                    fixture.controlPlane(folder, "http://127.0.0.1:" + older.port(), Duration.ofSeconds(20))) {
                Supplier<Optional<ApiFailure>> failure = cluster.watchTests(any -> {});
                Polling.until(() -> failure.get().isPresent());

                assertThat(cluster.watchFailure()).isEmpty();
                assertThat(cluster.unread()).isEmpty();
            }
        }
    }
}
