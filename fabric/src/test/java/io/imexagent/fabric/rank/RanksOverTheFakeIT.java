package io.imexagent.fabric.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.fabric.fake.FakeCudaLibrary.RecordedImport;
import io.imexagent.fabric.result.Blame;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricVerdict;
import io.imexagent.fabric.result.PairState;
import io.imexagent.host.PipedProcess;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ranks whose children are processes that load the C fake of libcuda, each on a node of its own. The ranks themselves are
 * threads of this process, so that a machine takes many.
 */
final class RanksOverTheFakeIT {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ChildDeadlines SHORT = new ChildDeadlines(
            Duration.ofMinutes(2), Duration.ofMinutes(2), Duration.ofSeconds(3), Duration.ofMinutes(10));

    @TempDir
    Path folder = Path.of("");

    private FakeCudaLibrary fake;
    private FabricLevel level = FabricLevel.MAP;
    private int gpus = 1;

    @BeforeEach
    void compile() {
        fake = FakeCudaLibrary.compile(folder);
    }

    @Test
    void eighteenRanksProveWhatTheFakeRecorded() throws Exception {
        FabricResult result = run(18);

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PROVEN);
        assertThat(recorded("import")).hasSize(18 * 17).allMatch(one -> one.result() == 0);
        assertThat(fake.held()).isZero();
    }

    @Test
    void dataIsWrittenByOneAndReadByTheOther() throws Exception {
        level = FabricLevel.DATA;

        assertThat(run(3).verdict()).isEqualTo(FabricVerdict.PROVEN);
    }

    @Test
    void allGpusOfBothSidesAreTried() throws Exception {
        gpus = 2;
        fake.gpus(gpus);

        assertThat(run(3).verdict()).isEqualTo(FabricVerdict.PROVEN);
        assertThat(recorded("import")).hasSize(3 * 2 * 2 * 2);
    }

    @Test
    void aNodeWhoseDaemonIsDownIsBlamed() throws Exception {
        fake.set("node1.daemon", "down");

        FabricResult result = run(4);

        assertThat(result.verdict()).isEqualTo(FabricVerdict.FAILED);
        assertThat(result.blame()).containsExactly(new Blame.BlamedNode(1));
    }

    @Test
    void aNodeOfAnotherDomainIsBlamed() throws Exception {
        fake.set("node2.domain_id", "other");

        assertThat(run(4).blame()).containsExactly(new Blame.BlamedNode(2));
    }

    @Test
    void aNodeWhoseDaemonHangsIsBlamedAndNoChildIsLeft() throws Exception {
        fake.set("node3.daemon", "hung");

        FabricResult result = run(4);

        assertThat(result.state(new NodeImport(3, 0))).isInstanceOf(PairState.TimedOutPair.class);
        assertThat(result.blame())
                .anyMatch(one -> one.equals(new Blame.BlamedNode(3)) || one.equals(new Blame.BlamedImporter(3)));
        assertThat(fake.held()).isZero();
    }

    @Test
    void aNodeOfAnotherCliqueIsFoundByMappingAlone() throws Exception {
        fake.set("node1.clique", "7");

        FabricResult result = run(4);

        assertThat(result.blame()).containsExactly(new Blame.BlamedNode(1));
        assertThat(result.state(new NodeImport(0, 1)).reason()).contains("cuMemSetAccess");
        level = FabricLevel.IMPORT;
        assertThat(run(4).verdict()).isEqualTo(FabricVerdict.PROVEN);
    }

    @Test
    void ranksOfTwoComputeDomainsAreRefusedEachOthersMemory() throws Exception {
        Path other = fake.dev("other", 6);
        fake.set("node2.dev", other).set("node3.dev", other);

        FabricResult result = run(4);

        assertThat(result.imports().filter(one -> result.state(one) instanceof PairState.ProvenPair))
                .containsExactlyInAnyOrder(
                        new NodeImport(0, 1), new NodeImport(1, 0), new NodeImport(2, 3), new NodeImport(3, 2));
        assertThat(recorded("import"))
                .filteredOn(one -> one.result() != 0)
                .hasSize(8)
                .allMatch(one -> one.result() == 400 || one.result() == 800);
    }

    @Test
    void aNodeWithoutAChannelCannotExportAndIsBlamed() throws Exception {
        fake.set("node0.dev", fake.dev("bare"));

        FabricResult result = run(4);

        assertThat(result.state(new NodeImport(1, 0)).reason()).contains("cuMemCreate");
        assertThat(result.blame())
                .anyMatch(one -> one.equals(new Blame.BlamedNode(0)) || one.equals(new Blame.BlamedExporter(0)));
    }

    @Test
    void theDomainIsBlamedWhereNoDaemonRuns() throws Exception {
        fake.set("daemon", "down");

        assertThat(run(3).blame()).containsExactly(new Blame.BlamedDomain());
    }

    @Test
    void aNodeWithoutFabricManagerTookNoPart() throws Exception {
        fake.set("node2.return.cuInit", 802);

        FabricResult result = run(4);

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(result.absence(2).orElse("")).contains("cuInit").contains("fabric manager");
    }

    @Test
    void aNodeWithoutLibcudaSaysSoInOneSentence() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        try (var memory = new ChildMemory(launcher(0), SHORT, level, empty, RANDOM)) {
            assertThat(catchThrowable(memory::export))
                    .isInstanceOf(RankMemory.RankFaultException.class)
                    .hasMessageContaining("libcuda");
        }
    }

    /**
     * Of a proven pair of nodes each GPU of the one got memory of each GPU of the other, once and with the result 0, by what
     * the fake recorded since there were so many lines: at level import of each exporter's GPU as often as the importer has
     * GPUs, of which an import names none.
     */
    private void requireRecorded(FabricResult result, int since) {
        List<RecordedImport> done = fake.imports().stream()
                .skip(since)
                .filter(one -> one.result() == 0)
                .toList();
        boolean mapped = level.includes(FabricLevel.MAP);
        result.imports()
                .filter(one -> result.state(one) instanceof PairState.ProvenPair)
                .forEach(one -> assertThat(done.stream()
                                .filter(recorded -> recorded.kind().equals(mapped ? "access" : "import")
                                        && recorded.node().equals("node" + one.importer())
                                        && recorded.exporter().equals("node" + one.exporter()))
                                .map(recorded -> recorded.gpu() + " " + recorded.exporterGpu()))
                        .containsExactlyInAnyOrderElementsOf(gpuPairs(mapped)));
    }

    private List<String> gpuPairs(boolean mapped) {
        return IntStream.range(0, gpus * gpus)
                .mapToObj(pair -> (mapped ? String.valueOf(pair / gpus) : "-") + " " + pair % gpus)
                .toList();
    }

    private List<RecordedImport> recorded(String kind) {
        return fake.imports().stream().filter(one -> one.kind().equals(kind)).toList();
    }

    private FabricResult run(int nodes) throws Exception {
        fake.dev("dev", 5);
        int before = fake.imports().size();
        FabricResult result = new TestedRanks(
                        nodes,
                        level,
                        gpus,
                        Duration.ofMinutes(4),
                        Duration.ofMinutes(2),
                        rank -> new ChildMemory(launcher(rank), SHORT, level, fake.driverRoot(), RANDOM))
                .run(folder);
        requireRecorded(result, before);
        return result;
    }

    private static ChildLauncher launcher(int rank) {
        return () -> PipedProcess.start(
                ChildMain.program().words(), _ -> false, List.of(FakeCudaLibrary.NODE + "=node" + rank));
    }
}
