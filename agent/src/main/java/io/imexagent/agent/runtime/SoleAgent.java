package io.imexagent.agent.runtime;

import io.imexagent.checkpoint.LockTimeoutException;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/**
 * Sees to it that one agent serves a plugin directory: a lock on {@code imex-agent.lock} from before the recovery to the
 * end of the process, however that comes. Listening sockets tell of an agent that runs, but not of one that starts at the
 * same moment.
 */
final class SoleAgent implements AutoCloseable {

    private final Path directory;
    private final Path file;
    private final PluginLock lock;

    /** The agent of this plugin directory, which need not exist yet. */
    SoleAgent(Path directory) {
        this.directory = directory;
        this.file = directory.resolve("imex-agent.lock");
        this.lock = new PluginLock(file);
    }

    /**
     * Takes the place.
     *
     * @throws IOException where another agent has it, or the file cannot be had; the message says what to do
     */
    void begin() throws IOException, InterruptedException {
        new DurableFiles(FileSteps.ALL_PASS, "")
                .createDirectory(directory, PosixFilePermissions.fromString("rwxr-x---"));
        try {
            var _ = lock.acquire(Duration.ZERO);
        } catch (LockTimeoutException taken) {
            throw new IOException(
                    "another imex-agent runs or starts on this node, it holds " + file + " (fuser -v " + file
                            + "); stop it, then start this agent again",
                    taken);
        }
    }

    /** Gives the place back. The file stays: whoever removed it might remove that of the next agent. */
    @Override
    public void close() {
        lock.close();
    }
}
