package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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

            assertThat(CheckpointReader.read(node.store.file(), CheckpointFormat.PUBLIC_DRIVER))
                    .contains(new CheckpointReader.CheckpointContent(
                            node.store.file(), node.prepared.ledger(), Optional.empty()));
        }
    }

    @Test
    void findsNothingWhereThereIsNoFile() throws Exception {
        assertThat(CheckpointReader.read(folder.resolve("checkpoint.json"), CheckpointFormat.PUBLIC_DRIVER))
                .isEmpty();
    }

    @Test
    void readsTheBackupOfACheckpointThatIsBrokenOrMissingAndSaysSo() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.prepare(node.claim("a"));
            Ledger before = node.saved();
            Path backup = node.plugin.resolve("checkpoint.json.bak");
            Files.writeString(node.store.file(), "torn");

            assertThat(CheckpointReader.read(node.store.file(), CheckpointFormat.PUBLIC_DRIVER))
                    .hasValueSatisfying(found -> {
                        assertThat(found.file()).isEqualTo(backup);
                        assertThat(found.ledger()).isEqualTo(before);
                        assertThat(found.remark().orElseThrow())
                                .startsWith(node.store.file() + " is no whole checkpoint: ")
                                .contains(backup.toString(), "a change behind");
                    });
            Files.delete(node.store.file());

            assertThat(CheckpointReader.read(node.store.file(), CheckpointFormat.PUBLIC_DRIVER)
                            .orElseThrow()
                            .remark())
                    .hasValueSatisfying(remark -> assertThat(remark).startsWith(node.store.file() + " is missing; "));
        }
    }

    @Test
    void namesBrokenFilesAndLeavesThemWhereTheyAre() throws Exception {
        Path file = Files.writeString(folder.resolve("checkpoint.json"), "torn");
        Path backup = Files.writeString(folder.resolve("checkpoint.json.bak"), "torn too");

        assertThatThrownBy(() -> CheckpointReader.read(file, CheckpointFormat.PUBLIC_DRIVER))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + " is no whole checkpoint: ")
                .hasMessageContaining(backup + " is no whole checkpoint: ");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(file, backup);
        }
        Files.delete(backup);
        assertThatThrownBy(() -> CheckpointReader.read(file, CheckpointFormat.PUBLIC_DRIVER))
                .hasMessageContaining(backup + " is missing");
    }
}
