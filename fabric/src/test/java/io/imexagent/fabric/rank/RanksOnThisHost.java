package io.imexagent.fabric.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Screen;
import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.local.IsolatedChildren;
import io.imexagent.fabric.result.Blame;
import io.imexagent.fabric.result.FabricDocument;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricResult.StatusMatrix;
import io.imexagent.fabric.result.FabricVerdict;
import io.imexagent.fabric.result.NodeEvidence;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RowText;
import io.imexagent.fabric.result.TestedNode;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ranks that share the GPUs of this machine, over its driver: run by name only, as root (README.md of this module), since
 * other machines have none. Each has the channel of its workload, as a container would.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RanksOnThisHost {

    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource
    void ranksOfOneWorkloadReachEachOther(FabricLevel level) throws Exception {
        FabricResult result = run(level, 256, 256, 256, 256);

        assertThat(result.verdict())
                .as(FabricDocument.text(result, Screen.NONE))
                .isEqualTo(FabricVerdict.PROVEN);
    }

    @Test
    void ranksOfTwoWorkloadsDoNot() throws Exception {
        FabricResult result = run(FabricLevel.MAP, 256, 256, 257);

        assertThat(result.state(new NodeImport(0, 1))).isInstanceOf(PairState.ProvenPair.class);
        assertThat(result.state(new NodeImport(1, 0))).isInstanceOf(PairState.ProvenPair.class);
        for (NodeImport across :
                List.of(new NodeImport(0, 2), new NodeImport(1, 2), new NodeImport(2, 0), new NodeImport(2, 1))) {
            assertThat(result.state(across)).isInstanceOf(PairState.FailedPair.class);
            assertThat(result.state(across).reason()).contains("cuMemImportFromShareableHandle");
        }
        assertThat(result.blame()).containsExactly(new Blame.BlamedNode(2));
    }

    private FabricResult run(FabricLevel level, int... channels) throws Exception {
        int gpus = gpus();
        int net = RANDOM.nextInt(1 << 14);
        Path token = Files.writeString(folder.resolve("token"), "ab".repeat(32));
        List<Future<RankRow>> running = new ArrayList<>();
        List<TestedNode> tested = new ArrayList<>();
        List<PodRow> pods = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int rank = 0; rank < channels.length; rank++) {
                var settings = new RankSettings(
                        "run",
                        rank,
                        channels.length,
                        "%",
                        RankSettings.PORT,
                        level,
                        gpus,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        token);
                int channel = channels[rank];
                running.add(threads.submit(() -> rank(settings, channel, net)));
            }
            for (int rank = 0; rank < channels.length; rank++) {
                String name = "node" + rank;
                tested.add(new TestedNode(
                        name, new FabricIdentity("", Optional.empty(), OptionalLong.empty(), Optional.empty())));
                String message = RowText.of(running.get(rank).get());
                pods.add(new PodRow(name, rank, Optional.of(RowText.parse(message)), ""));
            }
        }
        return FabricResult.of(
                new FabricResult.FabricRunName("run", "default", "clique", level.word()),
                Instant.EPOCH,
                NodeEvidence.of(new RequestedRun("run", level.word(), gpus), tested, pods, ""),
                new StatusMatrix(Map.of()));
    }

    private static RankRow rank(RankSettings settings, int channel, int net) throws Exception {
        var children = new IsolatedChildren(ChildMain.program(), major(), Path.of("/dev"), IsolatedChildren.FOLDERS);
        try (var memory = new ChildMemory(
                children.apply(OptionalInt.of(channel)), ChildDeadlines.USUAL, settings.level(), root(), RANDOM)) {
            return new Rank(
                            settings,
                            memory,
                            Optional.empty(),
                            other -> host(net, other),
                            host(net, settings.rank()),
                            RANDOM,
                            line -> {},
                            row -> {})
                    .run();
        }
    }

    private static InetSocketAddress host(int net, int rank) throws IOException {
        byte[] address = {127, (byte) (64 + (net >> 8)), (byte) net, (byte) (1 + rank)};
        return new InetSocketAddress(InetAddress.getByAddress(address), RankSettings.PORT);
    }

    private static Path root() {
        return Path.of(System.getProperty("imexagent.driverRoot", "/"));
    }

    private static int gpus() throws Exception {
        return (int) IntStream.range(0, 64)
                .filter(gpu -> Files.exists(Path.of("/dev/nvidia" + gpu)))
                .count();
    }

    private static int major() throws Exception {
        return Files.readAllLines(Path.of("/proc/devices")).stream()
                .map(String::strip)
                .filter(line -> line.endsWith(" nvidia-caps-imex-channels"))
                .mapToInt(line -> Integer.parseInt(line.substring(0, line.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }
}
