package io.imexagent.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import jnr.constants.platform.Errno;
import jnr.constants.platform.OpenFlags;
import jnr.posix.FileStat;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/**
 * {@code pu.lock} in the plugin's directory: the lock that this agent and the public driver take around every prepare
 * and unprepare, so that the two, or two agents in a rolling update, never change checkpoint and CDI specs at the same
 * time.
 *
 * <p>It is flock(2), as the public driver takes it. The JDK's file locks are fcntl(2) locks, which flock does not see.
 * The file stays open between uses, so that an acquisition costs three system calls; where somebody replaced the file
 * meanwhile, it is opened anew. The native library is loaded by the first use, or by {@link #warm()}.
 */
public final class PluginLock implements AutoCloseable {

    /** {@code sys/file.h}; the same on every architecture of Linux. */
    private static final int LOCK_EX = 2;

    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    private static final int OWNER_ONLY = 0600;
    private static final int CLOSED = -1;
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final Path file;
    private int descriptor = CLOSED;
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
            flock(LOCK_UN);
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
            if (flock(LOCK_EX | LOCK_NB)) {
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
        int flags = OpenFlags.O_RDWR.intValue() | OpenFlags.O_CREAT.intValue() | OpenFlags.O_CLOEXEC.intValue();
        int opened = Native.LIBRARY.open(file.toString(), flags, OWNER_ONLY);
        if (opened < 0) {
            throw failed("open");
        }
        descriptor = opened;
    }

    /** Whether the lock was granted; false where another open file has it. */
    private boolean flock(int operation) throws IOException {
        while (Native.LIBRARY.flock(descriptor, operation) != 0) {
            int error = Native.LIBRARY.errno();
            if (error == Errno.EWOULDBLOCK.intValue()) {
                return false;
            }
            if (error != Errno.EINTR.intValue()) {
                throw failed("lock");
            }
        }
        return true;
    }

    /** Closing the file gives the lock back too, should the system not let it go otherwise. */
    private void unlock() {
        if (descriptor != CLOSED && Native.LIBRARY.flock(descriptor, LOCK_UN) != 0) {
            closeDescriptor();
        }
    }

    /** A lock on a file that has lost its name keeps nobody out. */
    private boolean isStillThatFile() {
        FileStat open = Native.LIBRARY.allocateStat();
        FileStat named = Native.LIBRARY.allocateStat();
        return Native.LIBRARY.fstat(descriptor, open) == 0
                && Native.LIBRARY.stat(file.toString(), named) == 0
                && open.ino() == named.ino()
                && open.dev() == named.dev();
    }

    private void closeDescriptor() {
        Native.LIBRARY.close(descriptor);
        descriptor = CLOSED;
    }

    private IOException failed(String verb) {
        int error = Native.LIBRARY.errno();
        return new IOException("cannot " + verb + " " + file + ": " + Native.LIBRARY.strerror(error)
                + "; check that the directory " + file.toAbsolutePath().getParent()
                + " exists and that the agent may write there, the claim is retried");
    }

    /** Loaded with the first use of the lock: it costs a tenth of a second and some megabytes. */
    private static final class Native {

        static final POSIX LIBRARY = POSIXFactory.getNativePOSIX();

        private Native() {}
    }
}
