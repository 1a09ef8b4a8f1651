package io.imexagent.checkpoint;

import io.imexagent.host.LockFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * {@code pu.lock} in the plugin's directory: the lock that this agent and the public driver take around every prepare
 * and unprepare, so that no two processes change checkpoint and CDI specs at the same time. The lock is flock(2), see
 * {@link LockFile}; its first use loads the C library. The file stays open, and is opened again if it was replaced.
 */
public final class PluginLock implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final Path file;
    private Optional<LockFile> open = Optional.empty();
    private boolean held;

    /** The lock on this file, in a directory that exists when the lock is first used. */
    public PluginLock(Path file) {
        this.file = file;
    }

    public final class Held implements AutoCloseable {

        private boolean over;

        private Held() {}

        /** Releases the lock; further calls do nothing. */
        @Override
        public void close() {
            synchronized (PluginLock.this) {
                if (!over) {
                    over = true;
                    held = false;
                    unlock();
                }
            }
        }
    }

    /**
     * Takes the lock, waiting at most for the timeout, since a process may hang that holds it. Taking a lock that this
     * object holds already is a bug, since flock would grant it twice. A failure names the remedy.
     */
    public synchronized Held acquire(Duration timeout) throws IOException, InterruptedException {
        if (held) {
            throw new IllegalStateException(file + " is held already by this process");
        }
        long start = System.nanoTime();
        while (true) {
            LockFile lock = open();
            if (taken(lock)) {
                if (lock.hasItsName()) {
                    held = true;
                    return new Held();
                }
                closeFile();
            } else if (System.nanoTime() - start >= timeout.toNanos()) {
                throw new IOException(file + " is held by another process for more than " + timeout.toMillis()
                        + " ms; fuser -v " + file + " names it, end it if it hangs, the claim is retried");
            } else {
                Thread.sleep(PAUSE);
            }
        }
    }

    /** Closes the file, which releases the lock if it is held. */
    @Override
    public synchronized void close() {
        closeFile();
        held = false;
    }

    private LockFile open() throws IOException {
        if (open.isEmpty()) {
            try {
                open = Optional.of(LockFile.open(file));
            } catch (FileSystemException failure) {
                throw failed("open", failure);
            } catch (IOException notLoaded) {
                throw new IOException("cannot lock " + file + ": " + notLoaded.getMessage(), notLoaded);
            }
        }
        return open.get();
    }

    private boolean taken(LockFile lock) throws IOException {
        try {
            return lock.tryLock();
        } catch (FileSystemException failure) {
            throw failed("lock", failure);
        }
    }

    /** Releases the lock; if the system refuses, closing the file does it. */
    private void unlock() {
        if (open.filter(lock -> !lock.unlock()).isPresent()) {
            closeFile();
        }
    }

    private void closeFile() {
        open.ifPresent(LockFile::close);
        open = Optional.empty();
    }

    private IOException failed(String verb, FileSystemException failure) {
        return new IOException(
                "cannot " + verb + " " + file + ": " + failure.getReason() + "; check that the directory "
                        + file.toAbsolutePath().getParent()
                        + " exists and that the agent may write there, the claim is retried",
                failure);
    }
}
