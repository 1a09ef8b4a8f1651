package io.imexagent.agent.prepare;

import io.imexagent.checkpoint.CheckpointCodec;
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
     * The ledger in the file; empty where there is no file. Files are replaced whole, so this is always a ledger that was
     * saved.
     *
     * @throws IOException where the file cannot be read, or is no whole checkpoint; the message names file and remedy
     */
    public static Optional<Ledger> read(Path checkpoint) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(checkpoint);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw FileFault.of("read", checkpoint, e, "");
        }
        return switch (CheckpointCodec.decode(content)) {
            case CheckpointCodec.Decoded.Intact intact -> Optional.of(intact.ledger());
            case CheckpointCodec.Decoded.Broken broken ->
                throw new IOException(checkpoint + " is no whole checkpoint: " + broken.reason()
                        + "; a running imex-agent still has the claims in memory and writes it again with the next"
                        + " one, a starting one takes the backup beside it");
        };
    }
}
