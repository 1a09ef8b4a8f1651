package io.imexagent.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;

/**
 * {@code pu.lock} in the plugin's directory: the lock that this agent and the public driver take around every prepare
 * and unprepare, so that the two, or two agents in a rolling update, never change checkpoint and CDI specs at the same
 * time.
 *
 * <p>It is flock(2), as the public driver takes it. The JDK's file locks are fcntl(2) locks, which flock does not see.
 * The file stays open between uses, so that an acquisition costs two system calls; where somebody replaced the file
 * meanwhile, it is opened anew. JNA's native part is loaded by the first use, or by {@link #warm()}.
 */
public final class PluginLock implements AutoCloseable {

    private static final int OWNER_ONLY = 0600;
    private static final int CLOSED = -1;
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final Path file;
    private int descriptor = CLOSED;
    private Optional<Object> identity = Optional.empty();
    private boolean held;

    /** The lock on this file, in a directory that exists when the lock is first used. */
    public PluginLock(Path file) {
        this.file = file;
    }

    /** The lock, held by this process. */
    public final class Held implements AutoCloseable {

        private boolean over;

        private Held() {}

        /** Gives the lock back, once. */
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
     * Loads the native library, and opens and unlocks the file once, so that no claim has to wait for it.
     *
     * @throws IOException where that fails; the message names the remedy
     */
    public synchronized void warm() throws IOException {
        open();
        if (!held) {
            flock(Libc.LOCK_UN);
            isStillThatFile();
        }
    }

    /**
     * Takes the lock, and waits for it as long as the timeout at most, since another process may hang while it holds it.
     *
     * @throws LockTimeoutException where the time is over
     * @throws IOException where the file cannot be opened or locked
     * @throws InterruptedException where the thread is interrupted while it waits
     * @throws IllegalStateException where this very lock is held already: flock would grant it twice
     */
    public synchronized Held acquire(Duration timeout) throws IOException, InterruptedException {
        if (held) {
            throw new IllegalStateException(file + " is held already by this process");
        }
        long start = System.nanoTime();
        while (true) {
            open();
            if (flock(Libc.LOCK_EX | Libc.LOCK_NB)) {
                if (isStillThatFile()) {
                    held = true;
                    return new Held();
                }
                closeDescriptor();
            } else if (System.nanoTime() - start >= timeout.toNanos()) {
                throw new LockTimeoutException(file, timeout);
            } else {
                Thread.sleep(PAUSE);
            }
        }
    }

    /** Closes the file, which gives back the lock where it is held. */
    @Override
    public synchronized void close() {
        if (descriptor != CLOSED) {
            closeDescriptor();
        }
        held = false;
    }

    private void open() throws IOException {
        if (descriptor != CLOSED) {
            return;
        }
        load();
        int opened = libc().open(file.toString(), Libc.O_RDWR | Libc.O_CREAT | Libc.O_CLOEXEC, OWNER_ONLY);
        if (opened < 0) {
            throw failed("open");
        }
        descriptor = opened;
        Path own = Path.of("/proc/self/fd", Integer.toString(opened));
        identity = identity(own);
        if (identity.isEmpty()) {
            closeDescriptor();
            throw new IOException("cannot lock " + file + ": " + own + " cannot be read; mount /proc for the agent");
        }
    }

    private void load() throws IOException {
        try {
            libc();
        } catch (LinkageError failure) {
            throw new IOException(
                    "cannot lock " + file + ": the native part of JNA cannot be loaded (" + failure.getMessage()
                            + "); give the agent a jna.tmpdir that is not mounted noexec",
                    failure);
        }
    }

    /** Whether the lock was granted; false where another open file has it. */
    private boolean flock(int operation) throws IOException {
        while (libc().flock(descriptor, operation) != 0) {
            int error = libc().errno();
            if (error == Libc.EWOULDBLOCK) {
                return false;
            }
            if (error != Libc.EINTR) {
                throw failed("lock");
            }
        }
        return true;
    }

    /** Closing the file gives the lock back too, should the system not let it go otherwise. */
    private void unlock() {
        if (descriptor != CLOSED && libc().flock(descriptor, Libc.LOCK_UN) != 0) {
            closeDescriptor();
        }
    }

    /** A lock on a file that has lost its name keeps nobody out. */
    private boolean isStillThatFile() {
        return identity.equals(identity(file));
    }

    /** Device and inode of a file, links followed; empty where there is none. */
    private static Optional<Object> identity(Path of) {
        try {
            return Optional.ofNullable(
                    Files.readAttributes(of, BasicFileAttributes.class).fileKey());
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private void closeDescriptor() {
        libc().close(descriptor);
        descriptor = CLOSED;
        identity = Optional.empty();
    }

    private IOException failed(String verb) {
        int error = libc().errno();
        return new IOException("cannot " + verb + " " + file + ": " + libc().words(error)
                + "; check that the directory " + file.toAbsolutePath().getParent()
                + " exists and that the agent may write there, the claim is retried");
    }

    /** Loaded with the first use of the lock. */
    private static Libc libc() {
        return Libc.OF_PROCESS;
    }
}
