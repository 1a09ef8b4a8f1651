package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import io.imexagent.fabric.result.RowText;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fabric test} over the double of the API server; the test stands in for scheduler and ranks. */
final class FabricTestCommandTest {

    private static final String CLIQUE = "2a5b6f4c-1111-2222-3333-444444444444.1";

    private final CliFixture cli = new CliFixture();

    @TempDir
    Path folder = Path.of("");

    private ApiDouble api;

    @BeforeEach
    void start() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions());
        api.acceptToken("admin", UserIdentity.ADMIN);
        Path kubeconfig = api.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("admin"));
        cli.environment("IMEX_AGENT_CONTROLLER_KUBECONFIG", kubeconfig.toString())
                .environment("USER", "ada");
        for (String node : List.of("tray-1", "tray-2")) {
            api.apply(node(node));
        }
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void printsItsObjectsAndMakesNone() {
        ExitCode code = cli.execute(
                "fabric",
                "test",
                "--image",
                "registry.example/imex-agent:1.2.3",
                "--runtime-class",
                "nvidia",
                "--print");

        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .contains(
                        "kind: \"Job\"",
                        "kind: \"NetworkPolicy\"",
                        "kind: \"ComputeDomain\"",
                        "nvidia.com/gpu",
                        "runtimeClassName: \"nvidia\"")
                .contains("registry.example/imex-agent:1.2.3");
        assertThat(api.list(ResourceType.JOBS)).isEmpty();
    }

    @Test
    void provenPairsEndWithZero() throws Exception {
        assertThat(run(List.of("tray-1", "tray-2"), new PairState.ProvenPair())).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).contains("1  tray-1  -+", "Proven: all 2 imports between 2 nodes work.");
        assertThat(cli.err()).contains("waiting for pods: 0 of 2 have started");
        assertThat(api.list(ResourceType.JOBS)).isEmpty();
    }

    @Test
    void aRunIsRecordedWithTheNodesAsTheyWere() throws Exception {
        assertThat(run(List.of("tray-1", "tray-2"), new PairState.ProvenPair(), "--record"))
                .isEqualTo(ExitCode.OK);
        var failure = new PairState.FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE");
        assertThat(run(List.of("tray-1", "tray-2"), failure, "--record")).isEqualTo(ExitCode.FAILED);

        assertThat(api.list(ResourceType.FABRIC_TESTS)).singleElement().satisfies(test -> {
            assertThat(test.toString()).contains("\"- +\"", "\"400! -\"", "ada");
        });
    }

    @Test
    void aRunThatCannotBeRecordedIsRefusedBeforeItStarts() throws Exception {
        api.withdraw(ResourceType.FABRIC_TESTS);

        assertThat(cli.execute("fabric", "test", "--image", "x", "--record")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("the run could not be recorded: ", "no definition of FabricTests", "imex-agent manifests")
                .doesNotContain("waiting for pods");
    }

    @Test
    void aRunIsRefusedBeforeItStartsWhereItsRunnerMayNotRecord() throws Exception {
        api.acceptToken("runner", new UserIdentity("ada", Set.of()));
        api.grant(RoleGrant.reading("ada", ResourceType.NVLINK_NODES));
        Path kubeconfig = api.writeKubeconfig(folder.resolve("runner"), new Login.TokenLogin("runner"));
        cli.environment("IMEX_AGENT_CONTROLLER_KUBECONFIG", kubeconfig.toString());

        assertThat(cli.execute("fabric", "test", "--image", "x", "--record")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("you may not get fabrictests.imexagent.io", "the role imex-fabric-test-recorder");
        assertThat(api.list(ResourceType.JOBS)).isEmpty();
    }

    @Test
    void aRunOfWhichNothingWasTriedIsNotRecorded() throws Exception {
        assertThat(run(List.of("tray-1"), new PairState.ProvenPair(), "--record"))
                .isEqualTo(ExitCode.FAILED);

        assertThat(cli.err()).contains("the run is not recorded: no import was tried");
        assertThat(api.list(ResourceType.FABRIC_TESTS)).isEmpty();
    }

    @Test
    void aRunTakesTheServersTimeWhereTheClockOfItsMachineIsBehind() throws Exception {
        cli.clockAhead(Duration.ofHours(-30));
        Instant before = Instant.now();

        assertThat(run(List.of("tray-1", "tray-2"), new PairState.ProvenPair(), "--record", "-o", "json"))
                .isEqualTo(ExitCode.OK);

        assertThat(cli.err())
                .containsPattern(
                        "the clock of this machine is 1(07999|08000|08001) s behind the API server's, whose time"
                                + " the run takes; set it");
        assertThat(Instant.parse(JsonTrees.object(cli.out()).path("at").asText()))
                .isBetween(before.minusSeconds(2), Instant.now().plusSeconds(2));
        assertThat(Instant.parse(api.list(ResourceType.FABRIC_TESTS)
                        .getFirst()
                        .at("/spec/runs/0/started")
                        .asText()))
                .isBetween(before.minusSeconds(2), Instant.now().plusSeconds(2));
    }

    @Test
    void aRunOnAMachineWhoseClockIsAheadTakesNoOtherForDead() throws Exception {
        assertThat(cli.execute("fabric", "test", "--image", "x", "--print")).isEqualTo(ExitCode.OK);
        for (String object : cli.out().split("---\n", -1)) {
            api.apply((ObjectNode) new YAMLMapper().readTree(object));
        }
        cli.clockAhead(Duration.ofHours(3));

        assertThat(cli.execute("fabric", "test", "--image", "x")).isEqualTo(ExitCode.FAILED);

        assertThat(cli.err()).contains("s ahead of the API server's", "a fabric test is under way in clique");
        assertThat(api.list(ResourceType.JOBS)).hasSize(1);
    }

    @Test
    void aFailureEndsWithOne() throws Exception {
        var failure = new PairState.FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE");

        assertThat(run(List.of("tray-1", "tray-2"), failure, "-o", "json")).isEqualTo(ExitCode.FAILED);
        ObjectNode document = JsonTrees.object(cli.out());
        assertThat(document.fieldNames().next()).isEqualTo("at");
        assertThat(document.path("verdict").asText()).isEqualTo("failed");
        assertThat(document.at("/contradictions")).hasSize(2);
        assertThat(document.at("/blame/0/what").asText()).isEqualTo("domain");
    }

    @Test
    void whatWasNotTriedEndsWithThree() throws Exception {
        api.apply(node("tray-3"));

        assertThat(run(List.of("tray-1", "tray-2"), new PairState.ProvenPair())).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).contains("took no part: tray-3: no pod of the run was started on it");
    }

    @Test
    void mistakesAreNamedBeforeAnythingIsMade() {
        for (List<String> arguments : List.of(
                List.of("--image", "x", "--gpus", "0"),
                List.of("--image", "x", "--gpu-class", "a", "--gpu-resource", "b"),
                List.of("--image", "x", "--timeout", "1s"),
                List.of("--image", "x", "--clique", "none"),
                List.of("--image", "x", "--namespace", "Two words"),
                List.of("--image", "x", "--runtime-class", "Two words"),
                List.of("--image", "x", "elsewhere"),
                List.of("--level", "map"))) {
            var words = new ArrayList<>(List.of("fabric", "test"));
            words.addAll(arguments);

            assertThat(cli.execute(words.toArray(String[]::new)))
                    .as("%s", arguments)
                    .isEqualTo(arguments.contains("elsewhere") ? ExitCode.FAILED : ExitCode.USAGE);
            assertThat(cli.err()).startsWith("imex-agent: ").doesNotContain("Exception");
        }
        assertThat(api.list(ResourceType.JOBS)).isEmpty();
    }

    @Test
    void aRankByHandSaysWhatItIsFor() {
        assertThat(cli.execute("fabric", "rank")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("FABRIC_TEST_RANKS is not set", "not by hand");
    }

    private ExitCode run(List<String> nodes, PairState state, String... more) throws Exception {
        Thread acting = Thread.ofVirtual().start(() -> {
            try {
                while (api.list(ResourceType.COMPUTE_DOMAINS).isEmpty()) {
                    Thread.sleep(10);
                }
                Thread.sleep(300);
                ObjectNode job = api.list(ResourceType.JOBS).getFirst();
                String run = job.at("/metadata/labels/" + FabricRuns.RUN_LABEL.replace("/", "~1"))
                        .asText();
                int ranks = job.at("/spec/completions").asInt();
                for (int rank = 0; rank < nodes.size(); rank++) {
                    ObjectNode pod = pod(run, rank, ranks, nodes.get(rank), state);
                    pod.withObject("/metadata")
                            .putArray("ownerReferences")
                            .addObject()
                            .put("apiVersion", "batch/v1")
                            .put("kind", "Job")
                            .put("name", job.at("/metadata/name").asText())
                            .put("uid", job.at("/metadata/uid").asText())
                            .put("controller", true);
                    api.apply(pod);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        var words = new ArrayList<>(List.of("fabric", "test", "--image", "x", "--timeout", "30s"));
        words.addAll(List.of(more));
        ExitCode code = cli.execute(words.toArray(String[]::new));
        acting.interrupt();
        acting.join();
        return code;
    }

    private static ObjectNode pod(String run, int rank, int ranks, String node, PairState state) {
        List<PeerCells> peers = IntStream.range(0, ranks)
                .mapToObj(peer ->
                        peer == rank ? new PeerCells("", List.of()) : new PeerCells("00000" + peer, List.of(state)))
                .toList();
        String row = RowText.of(new RankRow(
                run,
                rank,
                "00000" + rank,
                "map",
                Optional.empty(),
                Optional.empty(),
                List.of(new ExportedGpu("GPU-" + rank, Optional.empty())),
                Optional.empty(),
                peers));
        ObjectNode pod = JsonTrees.object().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata")
                .put("name", "rank-" + rank)
                .put("namespace", "default")
                .putObject("labels")
                .put(FabricRuns.RUN_LABEL, run)
                .put("batch.kubernetes.io/job-completion-index", Integer.toString(rank));
        pod.putObject("spec")
                .put("nodeName", node)
                .putArray("containers")
                .addObject()
                .put("name", "rank")
                .put("image", "x");
        pod.putObject("status")
                .put("phase", "Succeeded")
                .putArray("containerStatuses")
                .addObject()
                .put("name", "rank")
                .putObject("state")
                .putObject("terminated")
                .put("message", row)
                .put("exitCode", 0);
        return pod;
    }

    static ObjectNode node(String name) {
        ObjectNode node =
                JsonTrees.object().put("apiVersion", "imexagent.io/v1alpha1").put("kind", "NVLinkNode");
        node.putObject("metadata").put("name", name);
        ObjectNode spec = node.putObject("spec").put("session", "s").put("write", 1);
        spec.putArray("cliques");
        spec.putArray("holds");
        node.putObject("status")
                .put("gpus", 4)
                .put("clique", CLIQUE)
                .putObject("connections")
                .put("address", name)
                .put("connected", "tray-1 tray-2 tray-3");
        return node;
    }
}
