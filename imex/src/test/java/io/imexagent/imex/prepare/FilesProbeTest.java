package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.PluginLock;
import io.imexagent.dra.recovery.FilesProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesProbeTest {

    @TempDir
    Path folder;

    @Test
    void tellsNothingUntilItHasLookedAndLeavesNothingBehind() throws Exception {
        try (Node node = Node.in(folder).start()) {
            FilesProbe probe = probe(node);
            List<Path> before = files();
            assertThat(probe.condition().detail()).contains("not been checked yet");

            probe.turn();

            assertThat(probe.condition().holds()).isTrue();
            assertThat(files()).isEqualTo(before);
        }
    }

    @Test
    void namesTheDirectoryOfTheCheckpointThatTakesNothing() throws Exception {
        try (Node node = Node.in(folder).start()) {
            FilesProbe probe = probe(node);
            Path obstacle = obstacle(node.plugin);
            probe.turn();
            assertThat(detail(probe)).startsWith("cannot ").contains(obstacle.toString());

            remove(obstacle);
            probe.turn();

            assertThat(probe.condition().holds()).isTrue();
        }
    }

    @Test
    void namesTheLockThatAnotherProcessHolds() throws Exception {
        try (Node node = Node.in(folder).start();
                var other = new PluginLock(node.plugin.resolve("pu.lock"))) {
            FilesProbe probe = probe(node);
            try (var held = other.acquire(Duration.ofSeconds(1))) {
                assertThat(held).isNotNull();
                probe.turn();
            }

            assertThat(detail(probe)).contains("pu.lock");
        }
    }

    @Test
    void writesBesideTheSpecsOnlyWhereAClaimHasFailed() throws Exception {
        try (Node node = Node.in(folder).start()) {
            FilesProbe probe = probe(node);
            Path specs = Files.createDirectories(folder.resolve("cdi"));
            Path obstacle = obstacle(specs);
            probe.turn();
            assertThat(probe.condition().holds()).isTrue();

            probe.doubt();
            probe.turn();
            assertThat(detail(probe)).contains(specs.toString());
            probe.doubt();
            assertThat(detail(probe)).as("what a look has found stands").contains(specs.toString());

            // The doubt stands until it is answered.
            probe.turn();
            assertThat(detail(probe)).contains(specs.toString());
            remove(obstacle);
            probe.turn();
            assertThat(probe.condition().holds()).isTrue();
        }
    }

    @Test
    void aFailedWriteOfAClaimStandsUntilAChangeIsSaved() throws Exception {
        try (Node node = Node.in(folder).start()) {
            FilesProbe probe = probe(node);
            probe.turn();
            probe.doubt();
            assertThat(detail(probe)).contains("could not be written");

            node.prepare(node.claim("a"));

            assertThat(probe.condition().holds()).isTrue();
        }
    }

    @Test
    void aClaimWhoseFilesFailMakesTheNodeDoubtful() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var failures = new AtomicInteger();
            node.service.onFailedFiles(failures::incrementAndGet);
            Path inTheWay = node.plugin.resolve("checkpoint.json.bak");
            Files.delete(inTheWay);
            Files.createDirectories(inTheWay.resolve("below"));

            node.prepare(node.claim("a"));
            node.prepare(node.claim("b"));

            assertThat(failures).hasPositiveValue();
        }
    }

    private FilesProbe probe(Node node) {
        return new FilesProbe(node.prepared, node.store.file(), folder.resolve("cdi"), node.worker);
    }

    private static String detail(FilesProbe probe) {
        assertThat(probe.condition().holds()).isFalse();
        return probe.condition().detail();
    }

    /** A folder of that name stands in the way, also of root. */
    private static Path obstacle(Path directory) throws IOException {
        Path obstacle = Files.createDirectory(directory.resolve(".imex-agent-probe"));
        Files.createDirectory(obstacle.resolve("below"));
        return obstacle;
    }

    private static void remove(Path obstacle) throws IOException {
        Files.delete(obstacle.resolve("below"));
        Files.delete(obstacle);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.sorted().toList();
        }
    }
}
