package io.imexagent.host;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import jnr.posix.FileStat;
import jnr.posix.POSIX;

/**
 * A file that is open for flock(2), which other programs use and the JDK does not: its locks are of fcntl(2), and the two
 * kinds do not see each other. The lock belongs to the open file, so two of this class keep each other out as two
 * processes do. A failure is a {@link FileSystemException} with the system's words as its reason. Not for several threads
 * at a time.
 */
public final class LockFile implements AutoCloseable {

    /** {@code sys/file.h}; the same on every architecture of Linux. */
    private static final int LOCK_EX = 2;

    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    /** O_RDWR, O_CREAT and O_CLOEXEC of {@code asm-generic/fcntl.h}, which x86-64 and aarch64 use. */
    private static final int OPEN_FLAGS = 2 | 0100 | 02000000;

    /** {@code asm-generic/errno.h}. jnr's own tables of such numbers take longer to load than the lock takes. */
    private static final int EINTR = 4;

    private static final int EWOULDBLOCK = 11;

    private static final int OWNER_ONLY = 0600;

    private final Path file;
    private final POSIX posix;
    private final int descriptor;

    private LockFile(Path file, POSIX posix, int descriptor) {
        this.file = file;
        this.posix = posix;
        this.descriptor = descriptor;
    }

    /** Opens the file, made for its owner alone if missing; no child inherits it. Fails, too, without the library. */
    public static LockFile open(Path file) throws IOException {
        POSIX posix = Posix.calls();
        int descriptor = posix.open(file.toString(), OPEN_FLAGS, OWNER_ONLY);
        if (descriptor < 0) {
            throw failed(file, posix);
        }
        return new LockFile(file, posix, descriptor);
    }

    /** Takes the lock without waiting; false where another open file has it. */
    public boolean tryLock() throws IOException {
        while (posix.flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            int error = posix.errno();
            if (error == EWOULDBLOCK) {
                return false;
            }
            if (error != EINTR) {
                throw failed(file, posix);
            }
        }
        return true;
    }

    /** Gives the lock back; false where the system does not let it go, which only {@link #close} then does. */
    public boolean unlock() {
        return posix.flock(descriptor, LOCK_UN) == 0;
    }

    /** Whether the open file still has its name; a lock on one that was replaced keeps no process out. */
    public boolean hasItsName() {
        FileStat own = posix.allocateStat();
        FileStat named = posix.allocateStat();
        return posix.fstat(descriptor, own) == 0
                && posix.stat(file.toString(), named) == 0
                && own.dev() == named.dev()
                && own.ino() == named.ino();
    }

    /** Closes the file, which gives back the lock. */
    @Override
    public void close() {
        posix.close(descriptor);
    }

    private static FileSystemException failed(Path file, POSIX posix) {
        return new FileSystemException(file.toString(), null, posix.strerror(posix.errno()));
    }
}
