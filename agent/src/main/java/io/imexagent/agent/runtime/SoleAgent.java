package io.imexagent.agent.runtime;

import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * Ensures that only one agent serves a plugin directory, by a lock on {@code imex-agent.lock} from before the recovery
 * to the end of the process. Listening sockets would reveal a running agent, but not one that starts at the same
 * moment. Since only agents use the file, the JDK's own lock suffices, which needs no native library.
 */
final class SoleAgent implements AutoCloseable {

    private final Path directory;
    private final Path file;
    private Optional<FileChannel> place = Optional.empty();

    /** Creates the lock of this plugin directory, which need not exist yet. */
    SoleAgent(Path directory) {
        this.directory = directory;
        this.file = directory.resolve("imex-agent.lock");
    }

    /** Acquires the lock. A failure states why the file cannot be locked or opened, and the remedy. */
    void begin() throws IOException {
        new DurableFiles(FileSteps.ALL_PASS, "").createDirectory(directory);
        FileChannel channel = open();
        if (!taken(channel)) {
            channel.close();
            throw new IOException("another imex-agent runs or starts on this node, it holds " + file + " (fuser -v "
                    + file + "); stop it, then start this agent again");
        }
        place = Optional.of(channel);
    }

    private FileChannel open() throws IOException {
        try {
            return FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (IOException failure) {
            throw FileFault.of("lock", file, failure, "");
        }
    }

    /** Whether the lock was acquired, which lasts as long as the channel is open. */
    private static boolean taken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    /** Releases the lock. The file stays: removing it could remove the file of the next agent. */
    @Override
    public void close() {
        place.ifPresent(channel -> {
            try {
                channel.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
    }
}
