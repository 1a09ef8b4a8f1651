package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.runtime.Main;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.fabric.rank.LyingRank;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricResult.StatusMatrix;
import io.imexagent.fabric.result.FabricVerdict;
import io.imexagent.fabric.result.NodeEvidence;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RowText;
import io.imexagent.fabric.result.TestedNode;
import io.imexagent.kubernetes.clique.FabricIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code fabric rank} as processes whose children load the C fake of libcuda: four ranks, each at a loopback address and on a
 * node of its own, and what the command reads from their termination messages.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FabricRanksIT {

    private static final int RANKS = 4;

    @TempDir
    Path folder = Path.of("");

    /** Runs of several tests at once have addresses of their own. */
    private final int net = new SecureRandom().nextInt(1 << 14);

    private final List<ProgramProcess> ranks = new ArrayList<>();
    private FakeCudaLibrary driver;

    @BeforeEach
    void compile() throws IOException {
        driver = FakeCudaLibrary.compile(folder);
        driver.dev("dev", 5);
        Files.writeString(folder.resolve("token"), "ab".repeat(32));
    }

    @AfterEach
    void end() throws IOException {
        for (ProgramProcess rank : ranks) {
            rank.close();
        }
    }

    @Test
    void aRankThatComesLateIsProvenByTheOthers() throws Exception {
        for (int rank = 0; rank < RANKS - 1; rank++) {
            ranks.add(rank(rank, rank));
        }
        awaitProven(List.of(0, 1, 2), List.of(0, 1, 2));
        assertThat(row(0).peers().get(3).worst()).isInstanceOf(UntriedPair.class);

        ranks.add(rank(3, 3));

        for (ProgramProcess rank : ranks) {
            assertThat(rank.awaitEnd()).as(rank.output()).isZero();
        }
        FabricResult result = result(RANKS);
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PROVEN);
        assertThat(ranks.get(0).out()).contains("{\"round\":3,\"of\":3}");
        assertThat(driver.imports())
                .filteredOn(one -> one.kind().equals("import"))
                .hasSize(RANKS * (RANKS - 1))
                .allMatch(one -> one.result() == 0);
        assertThat(driver.held()).isZero();
    }

    @Test
    void ranksThatWaitForAMissingOneHaveLeftTheirRowsWhenTheirPodsAreEnded() throws Exception {
        for (int rank = 0; rank < RANKS - 1; rank++) {
            ranks.add(rank(rank, rank));
        }
        awaitProven(List.of(0, 1, 2), List.of(0, 1, 2));

        for (ProgramProcess rank : ranks) {
            List<ProcessHandle> children = rank.children();
            assertThat(children).isNotEmpty();
            rank.signal("TERM");
            assertThat(rank.awaitEnd()).isEqualTo(143);
            for (ProcessHandle child : children) {
                assertThat(child.onExit().get(60, TimeUnit.SECONDS)).isEqualTo(child);
            }
        }

        FabricResult result = result(RANKS - 1);
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(result.state(new NodeImport(0, 2))).isInstanceOf(ProvenPair.class);
        assertThat(result.absence(3)).contains("no pod");
        assertThat(driver.held()).isZero();
    }

    @Test
    void ofTwoRanksOfOneNumberNoneCounts() throws Exception {
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(rank(rank, rank));
        }
        ranks.add(rank(1, RANKS));

        awaitProven(List.of(0, 2, 3), List.of(0, 1, 2, 3));
        awaitProven(List.of(1), List.of(0, 2, 3));
        ranks.get(RANKS).await("row of the second rank 1", () -> written(RANKS).isPresent());

        FabricResult result = result(RANKS + 1);
        assertThat(result.absence(1)).contains("2 pods were rank 1");
        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(result.state(new NodeImport(0, 2))).isInstanceOf(ProvenPair.class);
    }

    @Test
    void memoryThatALiarOffersAsItsOwnIsProvenOfNeitherRank() throws Exception {
        for (int rank = 0; rank < RANKS - 1; rank++) {
            ranks.add(rank(rank, rank));
        }
        ranks.add(start(LyingRank.class, 3, 3, "2"));

        for (ProgramProcess rank : ranks) {
            assertThat(rank.awaitEnd()).as(rank.output()).isZero();
        }

        FabricResult result = result(RANKS);
        for (int honest = 0; honest < 2; honest++) {
            for (int offering = 2; offering < RANKS; offering++) {
                assertThat(result.state(new NodeImport(honest, offering)))
                        .isEqualTo(new UntriedPair("ranks 2 and 3 offer the same memory"));
            }
            assertThat(result.state(new NodeImport(honest, 1 - honest))).isInstanceOf(ProvenPair.class);
        }
        assertThat(result.state(new NodeImport(2, 3)))
                .isEqualTo(new UntriedPair("ranks 2 and 3 offer the same memory"));
    }

    /** Waits until these processes have proven imports from these ranks, their own aside. */
    private void awaitProven(List<Integer> processes, List<Integer> exporters) throws Exception {
        for (int process : processes) {
            ranks.get(process).await("row of " + process + " with imports from " + exporters, () -> {
                Optional<RankRow> row = written(process);
                return row.isPresent()
                        && exporters.stream()
                                .filter(exporter -> exporter != row.get().rank())
                                .allMatch(exporter ->
                                        row.get().peers().get(exporter).worst() instanceof ProvenPair);
            });
        }
    }

    private Optional<RankRow> written(int process) {
        try {
            return Optional.of(row(process));
        } catch (IOException notYet) {
            return Optional.empty();
        }
    }

    private RankRow row(int process) throws IOException {
        return RowText.parse(Files.readString(ProgramProcess.message(folder.resolve("rank" + process))));
    }

    /** What the command makes of the rows of so many pods, the last of which may be a rank's second one. */
    private FabricResult result(int pods) throws IOException {
        List<TestedNode> nodes = new ArrayList<>();
        for (int node = 0; node < RANKS; node++) {
            nodes.add(new TestedNode(
                    "node" + node, new FabricIdentity("", Optional.empty(), OptionalLong.empty(), Optional.empty())));
        }
        List<PodRow> rows = new ArrayList<>();
        for (int process = 0; process < pods; process++) {
            RankRow row = row(process);
            rows.add(new PodRow("node" + process, row.rank(), Optional.of(row), ""));
        }
        return FabricResult.of(
                new FabricResult.FabricRunName("0123456789ab", "default", "clique", "map"),
                Instant.EPOCH,
                NodeEvidence.of(new RequestedRun("0123456789ab", "map", 1), nodes, rows, "no pod"),
                new StatusMatrix(Map.of()));
    }

    private ProgramProcess rank(int rank, int process) throws Exception {
        return start(Main.class, rank, process, "fabric", "rank");
    }

    private ProgramProcess start(Class<?> program, int rank, int process, String... arguments) throws Exception {
        return ProgramProcess.startInContainer(
                Files.createDirectory(folder.resolve("rank" + process)),
                driver.driverRoot().resolve("usr/lib64"),
                program,
                environment(rank, process),
                arguments);
    }

    private Map<String, String> environment(int rank, int process) {
        String host = "127." + (64 + (net >> 8)) + "." + (net & 0xff) + ".1";
        Map<String, String> environment = new HashMap<>();
        environment.put("FABRIC_TEST_RUN", "0123456789ab");
        environment.put("JOB_COMPLETION_INDEX", Integer.toString(rank));
        environment.put("FABRIC_TEST_RANKS", Integer.toString(RANKS));
        environment.put("FABRIC_TEST_HOST", host + "%");
        environment.put("FABRIC_TEST_ADDRESS", host + process);
        environment.put("FABRIC_TEST_LEVEL", "map");
        environment.put("FABRIC_TEST_GPUS", "1");
        environment.put("FABRIC_TEST_GATHER_SECONDS", "240");
        environment.put("FABRIC_TEST_TOKEN_FILE", folder.resolve("token").toString());
        environment.put(FakeCudaLibrary.NODE, "node" + process);
        return environment;
    }
}
