package io.imexagent.agent.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointReaderTest {

    @TempDir
    Path folder;

    @Test
    void readsTheClaimsBesideARunningAgent() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);

            assertThat(CheckpointReader.read(node.store.file())).contains(node.book.ledger());
        }
    }

    @Test
    void findsNothingWhereThereIsNoFile() throws Exception {
        assertThat(CheckpointReader.read(folder.resolve("checkpoint.json"))).isEmpty();
    }

    @Test
    void namesABrokenFileAndLeavesItWhereItIs() throws Exception {
        Path file = Files.writeString(folder.resolve("checkpoint.json"), "torn");

        assertThatThrownBy(() -> CheckpointReader.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + " is no whole checkpoint: ");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
