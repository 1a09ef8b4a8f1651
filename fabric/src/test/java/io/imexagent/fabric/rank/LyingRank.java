package io.imexagent.fabric.rank;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.rank.RankMemory.GpuOffer;
import io.imexagent.fabric.result.RowText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/** A rank as a process that offers memory of another one, whose number is its argument, as its own. */
public final class LyingRank {

    private static final SecureRandom RANDOM = new SecureRandom();

    private LyingRank() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        RankSettings settings = RankSettings.of(System.getenv());
        var memory = new ChildMemory(
                ChildLauncher.plain(ChildMain.program()), ChildDeadlines.USUAL, settings.level(), Path.of("/"), RANDOM);
        try (var lying = new LyingMemory(memory, handleOf(Integer.parseInt(arguments[0]), settings))) {
            var _ = Rank.of(
                            settings,
                            lying,
                            Optional.empty(),
                            System.out::println,
                            row -> Files.writeString(Path.of("/dev/termination-log"), RowText.of(row)))
                    .run();
        }
    }

    private static String handleOf(int other, RankSettings settings) throws IOException, InterruptedException {
        var client = new HandleClient(
                settings.readToken(),
                settings.rank(),
                rank -> new InetSocketAddress(InetAddress.getByName(settings.hostOf(rank)), settings.port()),
                RANDOM);
        while (true) {
            try (HandleClient.OpenOffer open = client.open(other)) {
                if (open.offer().gpus().getFirst()
                        instanceof GpuOffer.GivenGpu(String _, RankMemory.MemoryOffer offered)) {
                    return offered.handle();
                }
                throw new IOException("rank " + other + " offers no memory");
            } catch (IOException notYet) {
                Thread.sleep(100);
            }
        }
    }
}
