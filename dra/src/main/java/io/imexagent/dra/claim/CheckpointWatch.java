package io.imexagent.dra.claim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether another process has replaced the checkpoint: the public driver, or a second agent, may change it between
 * two changes of ours, and replaces it rather than overwriting it. Compares inode, size and time; a file that cannot be
 * looked at counts as missing. Used by the holder of the plugin's lock only.
 */
public final class CheckpointWatch {

    private final Path file;
    private Optional<Stamp> noted = Optional.empty();

    /** A watch over a file that has not been looked at. */
    public CheckpointWatch(Path checkpoint) {
        this.file = checkpoint;
    }

    /** Takes the checkpoint as it is now for ours. */
    void note() {
        noted = stamp();
    }

    /** Whether it is another one than was noted last. */
    boolean changed() {
        return !stamp().equals(noted);
    }

    private Optional<Stamp> stamp() {
        try {
            var attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new Stamp(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime()));
        } catch (IOException unseen) {
            return Optional.empty();
        }
    }

    private record Stamp(@Nullable Object inode, long size, FileTime written) {}
}
