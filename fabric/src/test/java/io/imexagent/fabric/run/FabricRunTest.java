package io.imexagent.fabric.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.text.Screen;
import io.imexagent.fabric.result.FabricDocument;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricVerdict;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import io.imexagent.fabric.result.RowText;
import io.imexagent.fabric.run.RunRequest.GpuRequest;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.http.HttpFabricRuns;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs over the double of the API server; the test stands in for scheduler, kubelets and ranks. */
final class FabricRunTest {

    private static final CliqueId CLIQUE = new CliqueId("2a5b6f4c-1111-2222-3333-444444444444.1");
    private static final String TOKEN = "ab".repeat(32);
    private static final List<ResourceType> OF_A_RUN = List.of(
            ResourceType.JOBS,
            ResourceType.NETWORK_POLICIES,
            ResourceType.SERVICES,
            ResourceType.SECRETS,
            ResourceType.RESOURCE_CLAIM_TEMPLATES,
            ResourceType.COMPUTE_DOMAINS);

    private final ConcurrentLinkedQueue<String> progress = new ConcurrentLinkedQueue<>();

    @TempDir
    Path folder = Path.of("");

    private ApiDouble api;
    private FabricRuns cluster;

    @BeforeEach
    void start() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions());
        api.acceptToken("admin", UserIdentity.ADMIN);
        cluster = open();
        for (String node : List.of("tray-1", "tray-2", "tray-3")) {
            api.apply(nvlinkNode(node, CLIQUE.text()));
        }
    }

    private FabricRuns open() throws IOException {
        Path kubeconfig = api.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("admin"));
        return new HttpFabricRuns(
                ClusterAccess.of("controller.kubeconfig", kubeconfig),
                "test",
                Clock.systemUTC(),
                () -> 0.5,
                ApiObserver.NONE);
    }

    @AfterEach
    void stop() {
        cluster.close();
        api.close();
    }

    @Test
    void provesAllPairsAndLeavesNothing() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
        });

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PROVEN);
        assertThat(FabricDocument.of(result).at("/imports/0/status").asText()).isEqualTo("connected");
        assertNothingLeft();
    }

    @Test
    void aPodThatStaysPendingIsNotTriedWithTheWordsOfItsEvent() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "", "Pending", "");
            event("rank-2", "0/3 nodes are available: 1 Insufficient nvidia.com/gpu.");
        });

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(result.absence(2))
                .hasValueSatisfying(why -> assertThat(why)
                        .isEqualTo("no pod of the run was placed on it: 0/3 nodes are available: 1 Insufficient"
                                + " nvidia.com/gpu."));
        assertThat(result.state(new NodeImport(0, 2))).isInstanceOf(PairState.UntriedPair.class);
        assertNothingLeft();
    }

    @Test
    void aPodWhosePrepareIsRefusedIsNotTriedWithTheWordsOfItsEvent() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Pending", "");
            event("rank-2", "channel 0 is used by team/train");
        });

        assertThat(result.absence(2)).contains("its pod did not start: channel 0 is used by team/train");
    }

    @Test
    void aPodThatLeavesNoRowTookNoPart() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Failed", "panic: \u001b[31mno");
            pod(2, "tray-3", "Failed", "");
        });

        assertThat(result.verdict()).isEqualTo(FabricVerdict.FAILED);
        assertThat(result.absence(1).orElse("")).contains("no row").endsWith(": panic:  [31mno");
        assertThat(result.absence(2).orElse("")).contains("failed without leaving a row");
    }

    @Test
    void aPodThatIsNotOfTheJobIsNoRank() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
            api.edit(
                    ResourceType.PODS,
                    "default",
                    "rank-2",
                    pod -> pod.withObject("/metadata").remove("ownerReferences"));
        });

        assertThat(result.absence(2)).contains("no pod of the run was started on it");
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
    }

    @Test
    void whatTheRanksFoundSurvivesAnApiServerThatFailsAfterThem() throws Exception {
        var over = new AtomicBoolean();
        api.inject(
                request -> over.get() && Set.of("nvlinknodes", "events").contains(request.resource()),
                FaultAction.answer(500));

        FabricResult result = run(request(), () -> {
            over.set(true);
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Failed", "");
        });

        assertThat(result.state(new NodeImport(0, 1))).isInstanceOf(PairState.ProvenPair.class);
        assertThat(result.absence(2).orElse("")).contains("without leaving a row: its Events cannot be read: ");
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(FabricDocument.of(result).path("identitiesNotRead").asText()).contains("500");
        assertNothingLeft();
    }

    @Test
    void aRankThatEndedWithoutARowIsExplainedByItsPod() throws Exception {
        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Failed", "imex-agent: cannot listen on 0.0.0.0/0.0.0.0:9410: Address already in use\n");
            pod(1, "tray-2", "Running", "");
            pod(2, "tray-3", "Running", "");
            fail(
                    1,
                    pod -> pod.withObject("/status/containerStatuses/0/state/terminated")
                            .put("reason", "OOMKilled")
                            .put("exitCode", 137));
            fail(
                    2,
                    pod -> pod.putObject("status")
                            .put("reason", "UnexpectedAdmissionError")
                            .put("message", "Allocate failed due to no healthy devices present"));
        });

        assertThat(result.absence(0).orElse("")).contains("cannot listen on 0.0.0.0/0.0.0.0:9410");
        assertThat(result.absence(1)).contains("its pod failed without leaving a row: OOMKilled");
        assertThat(result.absence(2))
                .contains("its pod failed without leaving a row: Allocate failed due to no healthy devices present");
    }

    private void fail(int rank, Consumer<ObjectNode> change) {
        api.edit(ResourceType.PODS, "default", "rank-" + rank, pod -> {
            change.accept(pod);
            pod.withObject("/status").put("phase", "Failed");
        });
    }

    @Test
    void whoStartedAnotherRunIsNamedWithoutControlCharacters() throws Exception {
        for (ObjectNode object : new RunManifest(request("dddddddddddd", "team")).objects(TOKEN)) {
            object.withObject("/metadata/annotations").put(FabricRuns.BY, "eve\u001b[2J\nimex-agent: all is proven");
            api.apply(object);
        }

        assertThatThrownBy(() -> run(request(), () -> {}))
                .isInstanceOf(RunRefusedException.class)
                .hasMessageContaining("of eve [2J imex-agent: all is proven in namespace team");
    }

    @Test
    void nothingIsProvenWhereItIsNotKnownWhetherTheNodesStayedTheSame() throws Exception {
        var over = new AtomicBoolean();
        api.inject(request -> over.get() && request.resource().equals("nvlinknodes"), FaultAction.answer(500));
        var ended = new AtomicLong();

        FabricResult result = run(request(), () -> {
            over.set(true);
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            ended.set(System.nanoTime());
            pod(2, "tray-3", "Succeeded", row(2));
        });

        // Five tries, after 1, 2, 4 and 8 pauses of 20 ms.
        assertThat(Duration.ofNanos(System.nanoTime() - ended.get())).isGreaterThan(Duration.ofMillis(15 * 20));
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(FabricDocument.text(result, Screen.NONE)).contains("whether the nodes stayed the same is not known");
    }

    @Test
    void whatWasReadBeforeTheRunnerLostItsRightsIsWorthHaving() throws Exception {
        var over = new AtomicBoolean();
        api.inject(
                request -> over.get()
                        && request.verb().equals("list")
                        && request.resource().equals("pods"),
                FaultAction.answer(403));

        FabricResult result = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Running", "");
            await("all 3 pods have started; 2 ranks are done");
            over.set(true);
        });

        assertThat(result.state(new NodeImport(0, 1))).isInstanceOf(PairState.ProvenPair.class);
        assertThat(result.absence(2)).contains("its rank did not end in the time of the run");
        assertNothingLeft();
    }

    @Test
    void aForgedMarkTakesNothingAway() throws Exception {
        ObjectNode forged = JsonTrees.object()
                .put("apiVersion", "resource.nvidia.com/v1beta1")
                .put("kind", "ComputeDomain");
        ObjectNode metadata =
                forged.putObject("metadata").put("name", "database").put("namespace", "team");
        metadata.putObject("labels")
                .put(FabricRuns.RUN_LABEL, "eeeeeeeeeeee")
                .put(FabricRuns.CLIQUE_LABEL, CLIQUE.text());
        metadata.putObject("annotations").put(FabricRuns.UNTIL, "2020-01-01T00:00:00Z");
        forged.putObject("spec").put("numNodes", 1);
        api.apply(forged);

        assertThatThrownBy(() -> run(request(), () -> {}))
                .isInstanceOf(RunRefusedException.class)
                .hasMessageContaining("ComputeDomain team/database has the labels of a fabric test");
        assertThat(api.list(ResourceType.COMPUTE_DOMAINS)).hasSize(1);
    }

    @Test
    void anotherObjectOfTheSameNameStays() throws Exception {
        ObjectNode secret = JsonTrees.object().put("apiVersion", "v1").put("kind", "Secret");
        secret.putObject("metadata").put("name", request().name()).put("namespace", "default");
        api.apply(secret);

        assertThatThrownBy(() -> run(request(), () -> {}))
                .isInstanceOf(RunRefusedException.class)
                .hasMessageContaining("there is a Secret of the run's name already");

        assertThat(api.list(ResourceType.SECRETS)).hasSize(1);
        assertThat(api.list(ResourceType.JOBS)).isEmpty();
        assertThat(api.list(ResourceType.COMPUTE_DOMAINS)).isEmpty();
    }

    @Test
    void progressNamesPodsAndRounds() throws Exception {
        FabricResult _ = run(request(), () -> {
            await("waiting for pods: 0 of 3 have started");
            pod(0, "tray-1", "Running", "");
            api.edit(
                    ResourceType.PODS,
                    "default",
                    "rank-0",
                    pod -> pod.withObject("/metadata/annotations").put("log", "{\"round\":1,\"of\":2}\n"));
            pod(1, "tray-2", "Running", "");
            pod(2, "tray-3", "Running", "");
            await("all 3 pods have started; rank 0 has done 1 of 2 rounds; 0 ranks are done");
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
        });
    }

    @Test
    void aSignalTakesTheObjectsAwayAsWell() throws Exception {
        Thread running = Thread.ofPlatform().start(() -> {
            try {
                var _ = new FabricRun(
                                cluster, request(), target(), Clock.systemUTC(), Duration.ofMillis(20), progress::add)
                        .run(TOKEN);
            } catch (Exception interrupted) {
                progress.add("ended by " + interrupted.getClass().getSimpleName());
            }
        });
        await("waiting for pods: 0 of 3 have started");

        running.interrupt();
        running.join();

        assertThat(progress).contains("ended by InterruptedException");
        assertNothingLeft();
    }

    @Test
    void objectsThatWereMadeGoWhereAnotherCannotBeMade() {
        api.inject(
                request -> request.verb().equals("create") && request.resource().startsWith("secrets"),
                FaultAction.answer(403));

        assertThatThrownBy(() -> run(request(), () -> {})).isInstanceOf(ApiException.class);

        assertNothingLeft();
    }

    @Test
    void aSecondRunIsRefusedByWordsThatNameTheFirst() throws Exception {
        FabricResult first = run(request(), () -> {
            assertThatThrownBy(() -> run(request("ffffffffffff", "team"), () -> {}))
                    .isInstanceOf(RunRefusedException.class)
                    .hasMessageContaining("run 0123456789ab of ada@login in namespace default")
                    .hasMessageContaining("kubectl delete job imex-fabric-test-");
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
        });

        assertThat(first.verdict()).isEqualTo(FabricVerdict.PROVEN);
    }

    @Test
    void aRunThatBeganInThePlaceOfADeadOneKeepsItsObjects() throws Exception {
        new RunManifest(dead()).objects(TOKEN).forEach(api::apply);
        api.apply(new RunManifest(request("eeeeeeeeeeee", "team")).job());

        assertThatThrownBy(() -> run(request(), () -> {}))
                .isInstanceOf(RunRefusedException.class)
                .hasMessageContaining("run eeeeeeeeeeee of ada@login in namespace team");
        assertThat(OF_A_RUN).allSatisfy(type -> assertThat(api.list(type)).hasSize(1));
    }

    private RunRequest dead() throws ApiException, RunRefusedException {
        return new RunRequest(
                "dddddddddddd",
                "bob@laptop",
                Instant.now().minus(Duration.ofHours(3)),
                "team",
                CLIQUE,
                target().names(),
                "image",
                new GpuRequest.GpuClass("gpu.nvidia.com", 1),
                FabricLevel.MAP,
                Duration.ofMinutes(1),
                Optional.empty());
    }

    @Test
    void whatADeadRunLeftIsTakenAway() throws Exception {
        new RunManifest(dead()).objects(TOKEN).forEach(api::apply);

        FabricResult _ = run(request(), () -> {
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
        });

        assertThat(progress).contains("taking away what a run of bob@laptop left in namespace team");
        assertNothingLeft();
    }

    @Test
    void everyObjectGoesWithTheJob() throws Exception {
        FabricResult _ = run(request(), () -> {
            String job =
                    api.list(ResourceType.JOBS).getFirst().at("/metadata/uid").asText();
            for (ResourceType type : OF_A_RUN.subList(1, OF_A_RUN.size())) {
                assertThat(api.list(type)).as(type.kind()).hasSize(1);
                assertThat(api.list(type)
                                .getFirst()
                                .at("/metadata/ownerReferences/0/uid")
                                .asText())
                        .isEqualTo(job);
            }
            pod(0, "tray-1", "Succeeded", row(0));
            pod(1, "tray-2", "Succeeded", row(1));
            pod(2, "tray-3", "Succeeded", row(2));
        });
    }

    @Test
    void aRunThatTakesTooLongEnds() throws Exception {
        RunRequest request = request();
        var hurried = new RunRequest(
                request.id(),
                request.by(),
                request.at(),
                request.namespace(),
                request.clique(),
                request.nodes(),
                request.image(),
                request.gpus(),
                request.level(),
                Duration.ofMillis(900),
                Optional.empty());

        FabricResult result = run(hurried, () -> {
            pod(0, "tray-1", "Running", "");
            pod(1, "tray-2", "Running", "");
            pod(2, "tray-3", "Running", "");
        });

        assertThat(result.verdict()).isEqualTo(FabricVerdict.FAILED);
        assertThat(result.absence(0)).contains("its rank did not end in the time of the run");
        assertNothingLeft();
    }

    @Test
    void targetsAreNodesOfOneClique() throws Exception {
        api.apply(nvlinkNode("tray-9", "2a5b6f4c-1111-2222-3333-444444444444.2"));

        assertThatThrownBy(() -> RunTarget.of(cluster.nodes(), Optional.empty(), List.of()))
                .hasMessageContaining("name one with --clique");
        assertThatThrownBy(() -> RunTarget.of(cluster.nodes(), Optional.of(CLIQUE), List.of("tray-9")))
                .hasMessageContaining("node tray-9 is in clique");
        assertThatThrownBy(() -> RunTarget.of(cluster.nodes(), Optional.empty(), List.of("elsewhere")))
                .hasMessageContaining("node elsewhere is in no NVLink clique");
        assertThatThrownBy(() -> RunTarget.of(cluster.nodes(), Optional.empty(), List.of("tray-1")))
                .hasMessageContaining("a run needs 2 to 256 nodes");
        assertThat(RunTarget.of(cluster.nodes(), Optional.empty(), List.of("tray-2", "tray-1"))
                        .names())
                .containsExactly("tray-1", "tray-2");
    }

    /** What the cluster does of its own accord while a run is under way. */
    @FunctionalInterface
    private interface Cluster {
        void act() throws Exception;
    }

    /** Runs the test over a cluster that acts once the run has its objects; the run's time begins after that. */
    private FabricResult run(RunRequest request, Cluster acts) throws Exception {
        var over = new AtomicBoolean();
        var acted = new AtomicReference<Instant>();
        InstantSource clock = () -> {
            Instant begin = acted.get();
            return begin == null ? request.at() : request.at().plus(Duration.between(begin, Instant.now()));
        };
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> acting = thread.submit(() -> {
                while (!over.get() && api.list(ResourceType.COMPUTE_DOMAINS).isEmpty()) {
                    Thread.sleep(10);
                }
                try {
                    if (!over.get()) {
                        acts.act();
                    }
                } finally {
                    acted.set(Instant.now());
                }
                return 0;
            });
            try {
                return new FabricRun(cluster, request, target(), clock, Duration.ofMillis(20), progress::add)
                        .run(TOKEN);
            } finally {
                over.set(true);
                Object _ = acting.get();
            }
        }
    }

    private RunTarget target() throws ApiException, RunRefusedException {
        return RunTarget.of(cluster.nodes(), Optional.of(CLIQUE), List.of());
    }

    private RunRequest request() throws ApiException, RunRefusedException {
        return request("0123456789ab", "default");
    }

    private RunRequest request(String id, String namespace) throws ApiException, RunRefusedException {
        return new RunRequest(
                id,
                "ada@login",
                Instant.now(),
                namespace,
                CLIQUE,
                target().names(),
                "registry.example/imex-agent:0.2.0",
                new GpuRequest.GpuClass("gpu.nvidia.com", 1),
                FabricLevel.MAP,
                Duration.ofSeconds(6),
                Optional.empty());
    }

    private void await(String line) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!progress.contains(line) && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        assertThat(progress).contains(line);
    }

    private void assertNothingLeft() {
        for (ResourceType type : OF_A_RUN) {
            assertThat(api.list(type)).as(type.kind()).isEmpty();
        }
    }

    private void pod(int index, String node, String phase, String message) {
        ObjectNode pod = JsonTrees.object().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata =
                pod.putObject("metadata").put("name", "rank-" + index).put("namespace", "default");
        JsonNode job = api.list(ResourceType.JOBS).getFirst();
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", "Job")
                .put("name", job.at("/metadata/name").asText())
                .put("uid", job.at("/metadata/uid").asText())
                .put("controller", true);
        metadata.putObject("labels")
                .put(FabricRuns.RUN_LABEL, "0123456789ab")
                .put("batch.kubernetes.io/job-completion-index", Integer.toString(index));
        ObjectNode spec = pod.putObject("spec");
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
        }
        spec.putArray("containers").addObject().put("name", "rank").put("image", "image");
        ObjectNode status = pod.putObject("status").put("phase", phase);
        ObjectNode container = status.putArray("containerStatuses").addObject().put("name", "rank");
        if (!message.isEmpty()) {
            container
                    .putObject("state")
                    .putObject("terminated")
                    .put("message", message)
                    .put("exitCode", 0);
        }
        api.apply(pod);
    }

    private void event(String pod, String message) {
        ObjectNode event = JsonTrees.object().put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata").put("name", pod + ".1").put("namespace", "default");
        event.putObject("involvedObject").put("kind", "Pod").put("name", pod).put("namespace", "default");
        event.put("type", "Warning")
                .put("reason", "FailedScheduling")
                .put("message", message)
                .put("lastTimestamp", "2026-11-28T12:00:00Z");
        api.apply(event);
    }

    private static String row(int rank) {
        List<PeerCells> peers = new ArrayList<>();
        for (int peer = 0; peer < 3; peer++) {
            peers.add(
                    peer == rank
                            ? new PeerCells("", List.of())
                            : new PeerCells("00000" + peer, List.of(new PairState.ProvenPair())));
        }
        return RowText.of(new RankRow(
                "0123456789ab",
                rank,
                "00000" + rank,
                "map",
                Optional.empty(),
                Optional.of("580.159.04"),
                List.of(new ExportedGpu("GPU-" + rank, Optional.empty())),
                Optional.empty(),
                peers));
    }

    private static ObjectNode nvlinkNode(String name, String clique) {
        ObjectNode node =
                JsonTrees.object().put("apiVersion", "imexagent.io/v1alpha1").put("kind", "NVLinkNode");
        node.putObject("metadata").put("name", name);
        ObjectNode spec = node.putObject("spec").put("session", "s").put("write", 1);
        spec.putArray("cliques");
        spec.putArray("holds");
        ObjectNode status = node.putObject("status").put("gpus", 4).put("clique", clique);
        status.put("imexSince", "2026-11-28T08:00:00Z").put("driver", "580.159.04");
        status.putObject("connections").put("address", name).put("connected", "tray-1 tray-2 tray-3");
        return node;
    }
}
