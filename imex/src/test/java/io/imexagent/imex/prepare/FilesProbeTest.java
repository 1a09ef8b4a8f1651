package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.PluginLock;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.recovery.FilesProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesProbeTest {

    @TempDir
    Path folder;

    private final List<Optional<String>> told = new CopyOnWriteArrayList<>();

    @Test
    void looksAtOnceAndAgainAndLeavesNothingBehind() throws Exception {
        try (Node node = Node.in(folder).start();
                FilesProbe probe = probe(node)) {
            List<Path> before = files();
            probe.start();
            await(1);

            probe.wake();
            await(2);

            assertThat(told).containsOnly(Optional.empty());
            assertThat(files()).isEqualTo(before);
        }
    }

    @Test
    void namesTheDirectoryOfTheCheckpointThatTakesNothing() throws Exception {
        try (Node node = Node.in(folder).start();
                FilesProbe probe = probe(node)) {
            // A folder of that name stands in the way, also of root.
            Path obstacle = Files.createDirectory(node.plugin.resolve(".imex-agent-probe"));
            Path below = Files.createDirectory(obstacle.resolve("below"));
            probe.start();
            await(1);
            assertThat(told.getFirst().orElseThrow()).startsWith("cannot ").contains(obstacle.toString());

            Files.delete(below);
            Files.delete(obstacle);
            probe.wake();
            await(2);

            assertThat(told.getLast()).isEmpty();
        }
    }

    @Test
    void namesTheLockThatAnotherProcessHolds() throws Exception {
        try (Node node = Node.in(folder).start();
                FilesProbe probe = probe(node);
                var other = new PluginLock(node.plugin.resolve("pu.lock"))) {
            try (var held = other.acquire(Duration.ofSeconds(1))) {
                assertThat(held).isNotNull();
                probe.start();
                await(1);
            }

            assertThat(told.getFirst().orElseThrow()).contains("pu.lock");
        }
    }

    @Test
    void writesBesideTheSpecsOnlyWhereAClaimHasFailed() throws Exception {
        try (Node node = Node.in(folder).start();
                FilesProbe probe = probe(node)) {
            Path specs = Files.createDirectories(folder.resolve("cdi"));
            Path obstacle = Files.createDirectory(specs.resolve(".imex-agent-probe"));
            Path below = Files.createDirectory(obstacle.resolve("below"));
            probe.start();
            await(1);
            assertThat(told.getFirst()).isEmpty();

            probe.doubt();
            probe.wake();
            await(2);
            assertThat(told.getLast().orElseThrow()).contains(specs.toString());

            // The doubt stands until it is answered.
            Files.delete(below);
            Files.delete(obstacle);
            probe.wake();
            await(3);
            assertThat(told.getLast()).isEmpty();
        }
    }

    @Test
    void looksNoMoreOnceItIsClosed() throws Exception {
        try (Node node = Node.in(folder).start()) {
            FilesProbe probe = probe(node);
            probe.start();
            await(1);
            probe.close();
            probe.wake();

            assertThat(node.worker.submit(() -> true).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(told).hasSize(1);
        }
    }

    private FilesProbe probe(Node node) {
        return new FilesProbe(node.prepared, node.store.file(), folder.resolve("cdi"), node.worker, told::add);
    }

    /** Waits for so many looks. */
    private void await(int looks) throws Exception {
        Eventually.holds(looks + " looks", () -> told.size() == looks);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.sorted().toList();
        }
    }
}
