package io.imexagent.fabric.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.result.NodeEvidence;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.PairState.FailedPair;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.TimedOutPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.TestedNode;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks as threads of one process, over real TCP. */
final class RankTest {

    private static final String TOKEN = "0123456789abcdef".repeat(4);

    @TempDir
    Path folder = Path.of("");

    @Test
    void eighteenRanksProveEveryPairWithOneImporterAtATime() throws Exception {
        everyPair(18, 4);
    }

    @Test
    void seventyTwoRanksProveEveryPairWithOneImporterAtATime() throws Exception {
        everyPair(72, 1);
    }

    private static PairState allWell(int importer, int exporter) {
        return new ProvenPair();
    }

    private void everyPair(int ranks, int gpus) throws Exception {
        var domain = new SimulatedDomain(gpus, RankTest::allWell);

        List<RankRow> rows = new Ranks(ranks, domain).run();

        for (RankRow row : rows) {
            for (int exporter = 0; exporter < ranks; exporter++) {
                if (exporter != row.rank()) {
                    assertThat(row.peers().get(exporter).cells()).hasSize(gpus * gpus);
                    assertThat(row.peers().get(exporter).worst()).isEqualTo(new ProvenPair());
                    assertThat(row.peers().get(exporter).life())
                            .isEqualTo(rows.get(exporter).life());
                }
            }
        }
        assertThat(domain.imports).hasSize(ranks * (ranks - 1) * gpus * gpus);
        assertThat(domain.mostAtOnce.get()).isEqualTo(1);
    }

    @Property(tries = 15)
    void aCellIsProvenOnlyWhereExactlyThisImportSucceeded(
            @ForAll @IntRange(min = 2, max = 6) int ranks, @ForAll @IntRange(min = 0, max = 1 << 20) int seed)
            throws Exception {
        folder = Files.createTempDirectory("ranks");
        var domain = new SimulatedDomain(2, (importer, exporter) -> switch (seed / (1 + importer * 7 + exporter) % 4) {
            case 0 -> new FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE");
            case 1 -> new TimedOutPair();
            default -> new ProvenPair();
        });

        for (RankRow row : new Ranks(ranks, domain).run()) {
            for (int exporter = 0; exporter < ranks; exporter++) {
                List<PairState> cells = row.peers().get(exporter).cells();
                for (int cell = 0; cell < cells.size(); cell++) {
                    var done =
                            new SimulatedDomain.DoneImport(row.rank(), cell % 2, exporter, cell / 2, cells.get(cell));
                    if (cells.get(cell) instanceof UntriedPair) {
                        assertThat(domain.imports)
                                .noneMatch(one -> one.importer() == row.rank()
                                        && one.gpu() == done.gpu()
                                        && one.exporter() == done.exporter()
                                        && one.exporterGpu() == done.exporterGpu());
                    } else {
                        assertThat(domain.imports).containsOnlyOnce(done);
                    }
                }
            }
        }
        assertThat(domain.mostAtOnce.get()).isEqualTo(1);
    }

    @Test
    void anImportThatHungEndsTheImportsFromThatRankAndNoOther() throws Exception {
        Set<Integer> hung = Set.of(3, 4, 5);
        var domain = new SimulatedDomain(
                2, (importer, exporter) -> hung.contains(exporter) ? new TimedOutPair() : new ProvenPair());

        List<RankRow> rows = new Ranks(18, domain).run();

        for (RankRow row : rows) {
            for (int exporter = 0; exporter < 18; exporter++) {
                if (exporter != row.rank()) {
                    PairState worst = row.peers().get(exporter).worst();
                    assertThat(worst).isEqualTo(hung.contains(exporter) ? new TimedOutPair() : new ProvenPair());
                }
            }
        }
        assertThat(domain.imports.stream().filter(one -> hung.contains(one.exporter())))
                .hasSize(3 * 17);
    }

    @Test
    void aRankWithoutLibcudaSaysSoAndCostsTheOthersNoWaiting() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(3, domain);
        ranks.other.put(1, new FaultyMemory());
        ranks.gather = Duration.ofSeconds(60);
        long start = System.nanoTime();

        List<RankRow> rows = ranks.run();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(rows.get(1).fault()).contains("no libcuda here");
        assertThat(rows.get(0).peers().get(1).worst()).isEqualTo(new UntriedPair("its rank has no memory to offer"));
        assertThat(rows.get(0).peers().get(2).worst()).isEqualTo(new ProvenPair());
    }

    @Test
    void aRankThatSeesAnotherNumberOfGpusThanRequestedTakesNoPart() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(3, domain);
        ranks.other.put(1, new SimulatedDomain(2, RankTest::allWell).rank(1));

        List<RankRow> rows = ranks.run();

        assertThat(rows.get(1).fault())
                .contains(
                        "libcuda shows 2 GPUs in the rank's container, and its pod requests 1; look at what the NVIDIA"
                                + " runtime or the claim injects there");
        assertThat(rows.get(1).peers()).isEmpty();
        assertThat(rows.get(0).peers().get(1).worst()).isEqualTo(new UntriedPair("its rank has no memory to offer"));
        assertThat(rows.get(0).peers().get(2).worst()).isEqualTo(new ProvenPair());
    }

    @Test
    void aRankThatComesLateKeepsNoOtherWaitingAndOneThatIsMissingIsNotTried() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(6, domain);
        ranks.late = 1;
        ranks.delay = Duration.ofMillis(1500);
        ranks.missing = 4;
        ranks.gather = Duration.ofSeconds(3);
        ranks.hold = Duration.ofMillis(100);

        List<RankRow> rows = ranks.run();

        List<Integer> importedFrom = domain.imports.stream()
                .map(SimulatedDomain.DoneImport::exporter)
                .toList();
        assertThat(importedFrom.subList(0, 4 * 3)).as("before the late one").doesNotContain(1);
        assertThat(rows).hasSize(5).allSatisfy(row -> {
            for (int exporter = 0; exporter < 6; exporter++) {
                if (exporter != row.rank()) {
                    assertThat(row.peers().get(exporter).worst())
                            .isEqualTo(
                                    exporter == 4
                                            ? new UntriedPair("its rank gave no handles in time")
                                            : new ProvenPair());
                }
            }
        });
        assertThat(domain.mostAtOnce.get()).isEqualTo(1);
    }

    @Test
    void theRowIsWrittenBeforeOthersAreWaitedForAndAgainOnceItSaysMore() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(4, domain);
        ranks.late = 2;
        ranks.delay = Duration.ofMillis(1500);
        ranks.missing = 3;
        ranks.gather = Duration.ofSeconds(4);
        ranks.hold = Duration.ofMinutes(5);
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<List<RankRow>> run = thread.submit(ranks::run);
            ranks.awaitWritten(row -> isProven(row, 1) && !isProven(row, 2));
            ranks.awaitWritten(row -> isProven(row, 1) && isProven(row, 2) && !isProven(row, 3));
            assertThat(run).isNotDone();
            thread.shutdownNow();
        }
    }

    private static boolean isProven(RankRow row, int exporter) {
        return row.rank() == 0 && row.peers().get(exporter).worst() instanceof ProvenPair;
    }

    @Test
    void memoryThatTwoRanksOfferIsProvenOfNeither() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(4, domain);
        ranks.other.put(1, new LyingMemory(domain.rank(1), SimulatedDomain.handle(2, 0)));

        List<RankRow> rows = ranks.run();

        for (int honest : List.of(0, 3)) {
            for (int offering : List.of(1, 2)) {
                assertThat(rows.get(honest).peers().get(offering).worst())
                        .isEqualTo(new UntriedPair("ranks 1 and 2 offer the same memory"));
            }
            assertThat(rows.get(honest).peers().get(3 - honest).worst()).isEqualTo(new ProvenPair());
        }
        assertThat(rows.get(2).peers().get(1).worst())
                .isEqualTo(new UntriedPair("ranks 1 and 2 offer the same memory"));
        assertThat(rows.get(2).peers().get(0).worst()).isEqualTo(new ProvenPair());
    }

    @Test
    void aRankThatOffersMoreOrFewerGpusThanRequestedIsNotTried() throws Exception {
        var domain = new SimulatedDomain(2, RankTest::allWell);
        var ranks = new Ranks(3, domain);
        ranks.other.put(1, new SimulatedDomain(1, RankTest::allWell).rank(1));
        ranks.liar = 1;

        List<RankRow> rows = ranks.run();

        for (int honest : List.of(0, 2)) {
            assertThat(rows.get(honest).peers().get(1).worst())
                    .isEqualTo(new UntriedPair("its rank offers memory of 1 GPUs, not of 2"));
            assertThat(rows.get(honest).peers().get(2 - honest).worst()).isEqualTo(new ProvenPair());
        }
    }

    @Test
    void ofTwoRanksOfOneNumberOthersProveOnlyTheOneThatTheyReached() throws Exception {
        var domain = new SimulatedDomain(1, RankTest::allWell);
        var ranks = new Ranks(3, domain);
        ranks.twice = 1;
        ranks.gather = Duration.ofSeconds(2);
        ranks.hold = Duration.ofSeconds(1);

        List<RankRow> rows = ranks.run();

        assertThat(rows).extracting(RankRow::rank).containsExactly(0, 1, 2, 1);
        assertThat(exporterOfWhichRowIsLeft(rows.get(0), rows.get(1))).isEqualTo(new ProvenPair());
        assertThat(exporterOfWhichRowIsLeft(rows.get(0), rows.get(3)))
                .isEqualTo(new UntriedPair("the handles were those of another process than the exporter's rank"));
    }

    private static PairState exporterOfWhichRowIsLeft(RankRow importer, RankRow exporter) {
        List<TestedNode> nodes = IntStream.range(0, 3)
                .mapToObj(node -> new TestedNode(
                        "node" + node,
                        new FabricIdentity("", Optional.empty(), OptionalLong.empty(), Optional.empty())))
                .toList();
        List<NodeEvidence> evidence = NodeEvidence.of(
                new RequestedRun(importer.run(), importer.level(), 1),
                nodes,
                List.of(
                        new PodRow("node0", 0, Optional.of(importer), ""),
                        new PodRow("node1", 1, Optional.of(exporter), "")),
                "");
        return NodeEvidence.pair(evidence.get(0), evidence.get(1));
    }

    /** The ranks of one run. */
    private final class Ranks {

        private final int count;
        private final SimulatedDomain domain;
        private final Set<Integer> there = ConcurrentHashMap.newKeySet();
        private final int net = new SecureRandom().nextInt(1 << 14);
        private final ConcurrentLinkedQueue<RankRow> written = new ConcurrentLinkedQueue<>();
        private int late = -1;
        private Duration delay = Duration.ZERO;
        private int missing = -1;
        private int twice = -1;
        private int liar = -1;
        private final Map<Integer, RankMemory> other = new HashMap<>();
        private int gpus;
        private Duration gather = Duration.ofSeconds(60);
        private Duration hold = Duration.ofSeconds(30);

        Ranks(int count, SimulatedDomain domain) {
            this.count = count;
            this.domain = domain;
            this.gpus = domain.gpus;
        }

        List<RankRow> run() throws Exception {
            Path token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
            List<Future<RankRow>> running = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int rank = 0; rank < count; rank++) {
                    if (rank != missing) {
                        running.add(threads.submit(rank(rank, host(rank), token)));
                    }
                }
                if (twice >= 0) {
                    running.add(threads.submit(rank(twice, host(count + twice), token)));
                }
                List<RankRow> rows = new ArrayList<>();
                try {
                    for (Future<RankRow> row : running) {
                        rows.add(row.get());
                    }
                } catch (InterruptedException over) {
                    threads.shutdownNow();
                    throw over;
                }
                return rows;
            }
        }

        /** Waits until a rank has written such a row. */
        void awaitWritten(Predicate<RankRow> wanted) throws InterruptedException {
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (written.stream().noneMatch(wanted) && System.nanoTime() < end) {
                Thread.sleep(20);
            }
            assertThat(written).anyMatch(wanted);
        }

        private Callable<RankRow> rank(int rank, InetSocketAddress listen, Path token) {
            return () -> {
                if (rank == late) {
                    Thread.sleep(delay);
                }
                there.add(rank);
                RankMemory memory = other.containsKey(rank) ? other.get(rank) : domain.rank(rank);
                return new Rank(
                                new RankSettings(
                                        "0123456789ab",
                                        rank,
                                        count,
                                        "%",
                                        RankSettings.PORT,
                                        FabricLevel.MAP,
                                        rank == liar ? 1 : gpus,
                                        gather,
                                        hold,
                                        token,
                                        Optional.empty()),
                                memory,
                                Optional.empty(),
                                this::address,
                                listen,
                                new SecureRandom(),
                                line -> {},
                                row -> written.add(row))
                        .run();
            };
        }

        private InetSocketAddress address(int rank) throws IOException {
            if (!there.contains(rank)) {
                throw new ConnectException("not there");
            }
            return host(rank);
        }

        /** Each rank has a loopback address of its own, so that all have one port, which no connection takes by chance. */
        private InetSocketAddress host(int rank) throws IOException {
            byte[] address = {127, (byte) (64 + (net >> 8)), (byte) net, (byte) (1 + rank)};
            return new InetSocketAddress(InetAddress.getByAddress(address), RankSettings.PORT);
        }
    }

    private static final class FaultyMemory implements RankMemory {
        @Override
        public List<GpuOffer> export() throws RankFaultException {
            throw new RankFaultException("no libcuda here");
        }

        @Override
        public void prepareImports() {}

        @Override
        public PairState importOn(int gpu, MemoryOffer offer) {
            throw new AssertionError("a rank without memory imports nothing");
        }

        @Override
        public Optional<String> driver() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
