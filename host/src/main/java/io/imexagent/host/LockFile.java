package io.imexagent.host;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A file to lock with flock(2). Other programs use flock(2); the JDK's locks use fcntl(2), and the two kinds are
 * independent of each other. The lock belongs to the open file, so two instances exclude each other as two processes
 * do. A failure is a {@link FileSystemException} with the system's message as its reason. Not safe for several threads.
 */
public final class LockFile implements AutoCloseable {

    /** {@code sys/file.h}; the same on every architecture of Linux. */
    private static final int LOCK_EX = 2;

    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    /** O_RDWR, O_CREAT and O_CLOEXEC of {@code asm-generic/fcntl.h}, which are the values of x86-64 and aarch64. */
    private static final int OPEN_FLAGS = 2 | 0100 | 02000000;

    /** {@code asm-generic/errno.h}. Loading jnr's tables of errors takes longer than taking the lock. */
    private static final int EINTR = 4;

    private static final int EWOULDBLOCK = 11;

    private static final int OWNER_ONLY = 0600;

    private final Path file;
    private final PosixCalls posix;
    private final int descriptor;

    private LockFile(Path file, PosixCalls posix, int descriptor) {
        this.file = file;
        this.posix = posix;
        this.descriptor = descriptor;
    }

    /**
     * Opens the file; a missing one is created with access for its owner alone. Child processes do not inherit it.
     * Fails also if the C library cannot be loaded.
     */
    public static LockFile open(Path file) throws IOException {
        return open(file, Posix.calls());
    }

    static LockFile open(Path file, PosixCalls posix) throws FileSystemException {
        int descriptor = posix.open(file.toString(), OPEN_FLAGS, OWNER_ONLY);
        if (descriptor < 0) {
            throw failed(file, posix);
        }
        return new LockFile(file, posix, descriptor);
    }

    /** Takes the lock without waiting; false if another open file holds it. */
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

    /** Releases the lock; false if the system refuses, and only {@link #close} then releases it. */
    public boolean unlock() {
        return posix.flock(descriptor, LOCK_UN) == 0;
    }

    /** Whether the open file is still the one at its path; a lock on a replaced file excludes no process. */
    public boolean hasItsName() {
        try {
            // A link of /proc leads to the open file, whatever has its name by now.
            return identity(Path.of("/proc/self/fd", Integer.toString(descriptor)))
                    .equals(identity(file));
        } catch (IOException gone) {
            return false;
        }
    }

    private static Map<String, Object> identity(Path path) throws IOException {
        return Files.readAttributes(path, "unix:dev,ino");
    }

    /** Closes the file, which releases the lock. */
    @Override
    public void close() {
        posix.close(descriptor);
    }

    private static FileSystemException failed(Path file, PosixCalls posix) {
        return new FileSystemException(file.toString(), null, posix.strerror(posix.errno()));
    }
}
