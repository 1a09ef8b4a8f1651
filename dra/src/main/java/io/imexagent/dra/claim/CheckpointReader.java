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

    /** The generation that was read, its claims, and where that is the backup, why and what it means. */
    public record Found(Path file, Ledger ledger, Optional<String> remark) {}

    /**
     * The claims in the checkpoint of this format, or in the backup beside it where it is missing or broken; empty
     * where there is neither. It is always a ledger that was saved. A failure names the files and the remedy.
     */
    public static Optional<Found> read(Path checkpoint, CheckpointFormat format) throws IOException {
        return switch (look(checkpoint, format)) {
            case LoadOutcome.Loaded loaded -> Optional.of(new Found(checkpoint, loaded.ledger(), Optional.empty()));
            case LoadOutcome.RecoveredFromBackup recovered -> {
                Path backup = FileCheckpointStore.backupOf(checkpoint);
                String remark =
                        recovered.reason() + "; its backup " + backup + " is read, which may be a change behind";
                yield Optional.of(new Found(backup, recovered.ledger(), Optional.of(remark)));
            }
            case LoadOutcome.Fresh none -> Optional.empty();
            case LoadOutcome.Unreadable broken ->
                throw new IOException(String.join("; ", broken.reasons())
                        + Stream.of(checkpoint, FileCheckpointStore.backupOf(checkpoint))
                                .filter(file -> !Files.exists(file))
                                .map(file -> "; " + file + " is missing")
                                .collect(Collectors.joining())
                        + "; a running imex-agent still has the claims in memory and writes them again with the next"
                        + " one, a starting one says what to do");
        };
    }

    /** The ledger in the file, where claims of this boot are prepared in it; empty where it cannot be understood. */
    public static Optional<Ledger> prepared(Path file, CheckpointFormat format, Optional<BootId> boot)
            throws IOException {
        return look(file, format) instanceof LoadOutcome.Loaded loaded
                        && !loaded.ledger().completed().isEmpty()
                        && !loaded.ledger().isOfEarlierBoot(boot)
                ? Optional.of(loaded.ledger())
                : Optional.empty();
    }

    private static LoadOutcome look(Path file, CheckpointFormat format) throws IOException {
        return FileCheckpointStore.look(
                Objects.requireNonNull(file.toAbsolutePath().getParent()), format);
    }
}
