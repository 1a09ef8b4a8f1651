package io.imexagent.fabric.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.fabric.result.PairState.FailedPair;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.TimedOutPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class RowTextTest {

    @Property(tries = 500)
    void aRowThatFitsComesBackAsItWas(@ForAll("rows") RankRow row) throws IOException {
        RankRow read = RowText.parse(RowText.whole(row));

        assertThat(read.peers().stream().map(PeerCells::worst))
                .containsExactlyElementsOf(
                        row.peers().stream().map(PeerCells::worst).toList());
        assertThat(read.gpus()).isEqualTo(row.gpus());
        assertThat(read.life()).isEqualTo(row.life());
        assertThat(read.peers().stream().map(PeerCells::life))
                .containsExactlyElementsOf(
                        row.peers().stream().map(PeerCells::life).toList());
    }

    @Property(tries = 200)
    void neverSaysMoreThanARowSays(@ForAll("rows") RankRow row) throws IOException {
        RankRow read = RowText.parse(RowText.of(row));

        for (int peer = 0; peer < row.peers().size(); peer++) {
            boolean proven = row.peers().get(peer).worst() instanceof ProvenPair;
            assertThat(read.peers().get(peer).worst() instanceof ProvenPair).isEqualTo(proven);
            assertThat(read.peers().get(peer).worst().isBad())
                    .isEqualTo(row.peers().get(peer).worst().isBad());
        }
    }

    @Test
    void rowsOf72RanksWithFourGpusFitATerminationMessage() {
        assertThat(length(of(72, 4, false))).isLessThanOrEqualTo(RowText.LONGEST);
    }

    @Test
    void theWorstRowsOf144RanksWithEightGpusFitWithOneStateForEachRank() throws IOException {
        RankRow row = of(144, 8, true);
        String text = RowText.of(row);

        assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(RowText.LONGEST);
        assertThat(RowText.parse(text).peers()).hasSize(144);
    }

    @Test
    void refusesWhatIsNoRow() {
        for (String text : List.of(
                "",
                "panic: no such file",
                "[]",
                "{}",
                "{\"version\":2}",
                "{\"version\":1,\"rank\":0,\"peers\":3,\"cells\":\"+,+\",\"lives\":\",\"}",
                "{\"version\":1,\"rank\":0,\"peers\":-1,\"cells\":\"+\",\"lives\":\"\"}",
                "{\"version\":1,\"rank\":0,\"peers\":1,\"cells\":\"z\",\"lives\":\"\",\"why\":[]}",
                "{\"version\":1,\"peers\":0}",
                "x".repeat(70_000))) {
            assertThatThrownBy(() -> RowText.parse(text)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aRankThatListsOtherPairsOfGpusThanItHasIsRefused() {
        for (String cells : List.of("++", "+++", "+++++")) {
            assertThatThrownBy(() -> RowText.parse(
                            "{\"version\":1,\"rank\":0,\"gpus\":[{},{}],\"peers\":1,\"cells\":\"%s\",\"lives\":\"a\"}"
                                    .formatted(cells)))
                    .hasMessage("its cells are not those of 2 GPUs");
        }
    }

    @Test
    void aRankWithoutCellsForAnotherHasProvenNothing() throws IOException {
        RankRow row = RowText.parse("{\"version\":1,\"rank\":0,\"peers\":2,\"cells\":\",\",\"lives\":\",abcdef\"}");

        assertThat(row.peers().get(1).worst()).isInstanceOf(UntriedPair.class);
    }

    private static int length(RankRow row) {
        return RowText.whole(row).getBytes(StandardCharsets.UTF_8).length;
    }

    private static RankRow of(int ranks, int gpus, boolean mixed) {
        var random = new Random(7);
        List<PeerCells> peers = new ArrayList<>();
        for (int peer = 0; peer < ranks; peer++) {
            List<PairState> cells = new ArrayList<>(Collections.nCopies(gpus * gpus, new ProvenPair()));
            for (int cell = 0; mixed && cell < cells.size(); cell++) {
                cells.set(cell, new FailedPair("cuMemSetAccess", random.nextInt(900), "w".repeat(200)));
            }
            if (peer % 3 == 0) {
                cells.set(0, new TimedOutPair());
            }
            peers.add(new PeerCells(String.format("%06x", peer), cells));
        }
        List<ExportedGpu> own = new ArrayList<>();
        for (int gpu = 0; gpu < gpus; gpu++) {
            own.add(new ExportedGpu("GPU-6a7d9f3e-1111-2222-3333-44444444444" + gpu, Optional.empty()));
        }
        return new RankRow(
                "0123456789ab",
                0,
                "abcdef",
                "map",
                Optional.of("3d8a26c5-0000-0000-0000-000000000000"),
                Optional.of("580.159.04"),
                own,
                Optional.empty(),
                peers);
    }

    @Provide
    Arbitrary<RankRow> rows() {
        Arbitrary<PairState> states = Arbitraries.of(
                new ProvenPair(),
                new TimedOutPair(),
                new UntriedPair("its rank gave no handles in time"),
                new FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE"),
                new FailedPair("cuMemSetAccess", 1, "CUDA_ERROR_INVALID_VALUE"));
        Arbitrary<PeerCells> peers = states.list()
                .ofSize(4)
                .map(cells -> new PeerCells(cells.getFirst() instanceof UntriedPair ? "" : "abcdef", cells));
        return peers.list()
                .ofMinSize(2)
                .ofMaxSize(72)
                .map(all -> new RankRow(
                        "0123456789ab",
                        1,
                        "abcdef",
                        "map",
                        Optional.empty(),
                        Optional.of("580.159.04"),
                        List.of(
                                new ExportedGpu("GPU-1", Optional.empty()),
                                new ExportedGpu(
                                        "GPU-2",
                                        Optional.of(new FailedPair("cuMemCreate", 800, "CUDA_ERROR_NOT_PERMITTED")))),
                        Optional.empty(),
                        all));
    }
}
