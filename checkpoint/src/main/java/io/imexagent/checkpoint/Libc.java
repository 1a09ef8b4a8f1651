package io.imexagent.checkpoint;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.charset.Charset;

/**
 * The calls of the C library that a lock needs and the JDK does not have: flock(2), and open(2) for a descriptor to give
 * it. Raw: a result below zero is a failure, and {@link #errno()} is of the calling thread's last call.
 *
 * <p>By JNA, which NVML needs anyhow; see decision 0011.
 */
final class Libc {

    /** {@code sys/file.h}; the same on every architecture of Linux. */
    static final int LOCK_EX = 2;

    static final int LOCK_NB = 4;
    static final int LOCK_UN = 8;

    /** {@code asm-generic/fcntl.h}, which x86-64 and aarch64 use. */
    static final int O_RDWR = 2;

    static final int O_CREAT = 0100;
    static final int O_CLOEXEC = 02000000;

    /** {@code asm-generic/errno.h}. */
    static final int EINTR = 4;

    static final int EWOULDBLOCK = 11;

    /** The calls of this process's C library; loads JNA's native part. */
    static final Libc OF_PROCESS = new Libc(NativeLibrary.getProcess());

    private static final Charset FILE_NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final Function open;
    private final Function close;
    private final Function flock;
    private final Function strerror;

    private Libc(NativeLibrary process) {
        open = process.getFunction("open");
        close = process.getFunction("close");
        flock = process.getFunction("flock");
        strerror = process.getFunction("strerror");
    }

    /** Opens a file; its mode counts where it is made. Varargs of integers are passed as others, on both architectures. */
    int open(String path, int flags, int mode) {
        return open.invokeInt(new Object[] {(path + '\0').getBytes(FILE_NAMES), flags, mode});
    }

    int close(int descriptor) {
        return close.invokeInt(new Object[] {descriptor});
    }

    int flock(int descriptor, int operation) {
        return flock.invokeInt(new Object[] {descriptor, operation});
    }

    int errno() {
        return Native.getLastError();
    }

    /** The system's words for an error number. */
    String words(int error) {
        Pointer words = strerror.invokePointer(new Object[] {error});
        return words == null ? "error " + error : words.getString(0, "UTF-8");
    }
}
