package io.imexagent.fabric.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Screen;
import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.local.IsolatedChildren;
import io.imexagent.fabric.local.ThisHost;
import io.imexagent.fabric.result.Blame;
import io.imexagent.fabric.result.FabricDocument;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricVerdict;
import io.imexagent.fabric.result.PairState;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
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
        IsolatedChildren children = ThisHost.children();
        return new TestedRanks(
                        channels.length,
                        level,
                        gpus(),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        rank -> new ChildMemory(
                                children.apply(OptionalInt.of(channels[rank])),
                                ChildDeadlines.USUAL,
                                level,
                                ThisHost.driverRoot(),
                                new SecureRandom()))
                .run(folder);
    }

    private static int gpus() {
        return (int) IntStream.range(0, 64)
                .filter(gpu -> Files.exists(Path.of("/dev/nvidia" + gpu)))
                .count();
    }
}
