package io.imexagent.dra.claim;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a checkpoint beside a running agent, without a lock and without changing anything. */
public final class CheckpointReader {

    private CheckpointReader() {}

    /** The file that was read and its claims; if it is the backup, also why it was read and what follows from that. */
    public record CheckpointContent(Path file, Ledger ledger, Optional<String> remark) {}

    /**
     * Reads the claims of a checkpoint of this format, or of its backup if the checkpoint is missing or broken; empty
     * if neither exists. The result is always a ledger that was saved. A failure names the files and the remedy.
     */
    public static Optional<CheckpointContent> read(Path checkpoint, CheckpointFormat format) throws IOException {
        return switch (inspect(checkpoint, format)) {
            case LoadOutcome.LoadedCheckpoint loaded ->
                Optional.of(new CheckpointContent(checkpoint, loaded.ledger(), Optional.empty()));
            case LoadOutcome.RecoveredFromBackup recovered -> {
                Path backup = FileCheckpointStore.backupOf(checkpoint);
                String remark =
                        recovered.reason() + "; its backup " + backup + " is read, which may be a change behind";
                yield Optional.of(new CheckpointContent(backup, recovered.ledger(), Optional.of(remark)));
            }
            case LoadOutcome.NoCheckpoint none -> Optional.empty();
            case LoadOutcome.UnreadableCheckpoint broken ->
                throw new IOException(String.join("; ", broken.reasons())
                        + Stream.of(checkpoint, FileCheckpointStore.backupOf(checkpoint))
                                .filter(file -> !Files.exists(file))
                                .map(file -> "; " + file + " is missing")
                                .collect(Collectors.joining())
                        + "; a running imex-agent still has the claims in memory and writes them again with the next"
                        + " one, a starting one says what to do");
        };
    }

    /**
     * The ledger of the file if it has prepared claims of this boot; empty otherwise, and if the file cannot be
     * decoded.
     */
    public static Optional<Ledger> prepared(Path file, CheckpointFormat format, Optional<BootId> boot)
            throws IOException {
        return inspect(file, format) instanceof LoadOutcome.LoadedCheckpoint loaded
                        && !loaded.ledger().completed().isEmpty()
                        && !loaded.ledger().isOfEarlierBoot(boot)
                ? Optional.of(loaded.ledger())
                : Optional.empty();
    }

    private static LoadOutcome inspect(Path file, CheckpointFormat format) throws IOException {
        return FileCheckpointStore.inspect(
                Objects.requireNonNull(file.toAbsolutePath().getParent()), format);
    }
}
