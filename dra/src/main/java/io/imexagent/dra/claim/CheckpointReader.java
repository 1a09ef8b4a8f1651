package io.imexagent.dra.claim;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.FileFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads a checkpoint beside a running agent, without a lock and without changing anything. */
public final class CheckpointReader {

    private CheckpointReader() {}

    /**
     * What a checkpoint says.
     *
     * @param file the generation that was read, the checkpoint or its backup
     * @param ledger the claims
     * @param remark why it is the backup, and what that means, a sentence; empty where it is the checkpoint
     */
    public record Found(Path file, Ledger ledger, Optional<String> remark) {}

    /**
     * The claims in the checkpoint of this format or, where it is missing or broken, in the backup beside it; empty
     * where there is neither. Files are replaced whole, so this is always a ledger that was saved.
     *
     * @throws IOException where a file cannot be read, or none is whole; the message names the files and the remedy
     */
    public static Optional<Found> read(Path checkpoint, CheckpointFormat format) throws IOException {
        Optional<CheckpointFormat.Decoded> now = decoded(checkpoint, format);
        if (now.isPresent() && now.get() instanceof CheckpointFormat.Decoded.Intact intact) {
            return Optional.of(new Found(checkpoint, intact.ledger(), Optional.empty()));
        }
        Path backup = FileCheckpointStore.backupOf(checkpoint);
        Optional<CheckpointFormat.Decoded> before = decoded(backup, format);
        if (now.isEmpty() && before.isEmpty()) {
            return Optional.empty();
        }
        String fault = fault(checkpoint, now);
        if (before.isPresent() && before.get() instanceof CheckpointFormat.Decoded.Intact intact) {
            return Optional.of(new Found(
                    backup,
                    intact.ledger(),
                    Optional.of(fault + "; its backup " + backup + " is read, which is at least one change behind")));
        }
        throw new IOException(fault + "; " + fault(backup, before)
                + "; a running imex-agent still has the claims in memory and writes them again with the next one, a"
                + " starting one says what to do");
    }

    /** The ledger in the file, where claims of this boot are prepared in it; empty where it cannot be understood. */
    public static Optional<Ledger> prepared(Path file, CheckpointFormat format, Optional<BootId> boot)
            throws IOException {
        return decoded(file, format).flatMap(found -> switch (found) {
            case CheckpointFormat.Decoded.Broken broken -> Optional.empty();
            case CheckpointFormat.Decoded.Intact intact ->
                Optional.of(intact.ledger())
                        .filter(ledger -> !ledger.completed().isEmpty() && !RecoveryPlanner.rebooted(ledger, boot));
        });
    }

    private static Optional<CheckpointFormat.Decoded> decoded(Path file, CheckpointFormat format) throws IOException {
        try {
            return Optional.of(format.decode(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw FileFault.of("read", file, e, "");
        }
    }

    private static String fault(Path file, Optional<CheckpointFormat.Decoded> found) {
        return found.isPresent() && found.get() instanceof CheckpointFormat.Decoded.Broken broken
                ? file + " is no whole checkpoint: " + broken.reason()
                : file + " is missing";
    }
}
