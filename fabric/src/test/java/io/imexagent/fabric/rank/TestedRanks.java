package io.imexagent.fabric.rank;

import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.StatusMatrix;
import io.imexagent.fabric.result.NodeEvidence;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
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
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * So many ranks as threads of this process, at addresses of the loopback, each on a node {@code nodeN} of its own.
 */
record TestedRanks(
        int ranks, FabricLevel level, int gpus, Duration gather, Duration hold, IntFunction<RankMemory> memories) {

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Runs them all, and reads their rows as the command does. */
    FabricResult run(Path folder) throws Exception {
        int net = RANDOM.nextInt(1 << 14);
        Path token = Files.writeString(folder.resolve("token"), "ab".repeat(32));
        List<Future<RankRow>> running = new ArrayList<>();
        List<TestedNode> tested = new ArrayList<>();
        List<PodRow> pods = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int rank = 0; rank < ranks; rank++) {
                int own = rank;
                running.add(threads.submit(() -> rank(own, net, token)));
            }
            for (int rank = 0; rank < ranks; rank++) {
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

    private RankRow rank(int rank, int net, Path token) throws Exception {
        var settings = new RankSettings(
                "run", rank, ranks, "%", RankSettings.PORT, level, gpus, gather, hold, token, Optional.empty());
        try (RankMemory memory = memories.apply(rank)) {
            return new Rank(
                            settings,
                            memory,
                            Optional.empty(),
                            other -> host(net, other),
                            host(net, rank),
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
}
