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
 * two changes of ours. Used by the holder of the plugin's lock only.
 */
public interface CheckpointWatch {

    /** For a checkpoint that nobody else can change. */
    CheckpointWatch NONE = new CheckpointWatch() {
        @Override
        public void note() {}

        @Override
        public boolean changed() {
            return false;
        }
    };

    /** Takes the checkpoint as it is now for ours. */
    void note();

    /** Whether it is another one than was noted last. */
    boolean changed();

    /** A watch over a file, which every writer replaces rather than overwrites. */
    static CheckpointWatch over(Path checkpoint) {
        return new OverFile(checkpoint);
    }

    /** Compares inode, size and time; a file that cannot be looked at counts as missing. */
    final class OverFile implements CheckpointWatch {

        private final Path file;
        private Optional<Stamp> noted = Optional.empty();

        private OverFile(Path file) {
            this.file = file;
        }

        @Override
        public void note() {
            noted = stamp();
        }

        @Override
        public boolean changed() {
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
}
