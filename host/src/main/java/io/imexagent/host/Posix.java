package io.imexagent.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Out;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/**
 * Calls of the C library that the JDK lacks, through jnr-posix. The first use loads the library, which takes a tenth of
 * a second of one core; {@link #preload()} does that in advance. See decision 0052.
 */
public final class Posix {

    private static final int SIGKILL = 9;

    /** From asm-generic/ioctls.h, the same on x86-64 and aarch64. */
    private static final long TIOCGWINSZ = 0x5413;

    private Posix() {}

    /** Loads the library on a thread of its own, so that the first call waits less or not at all. */
    public static void preload() {
        // The first access starts the loading. A fault here is not handled: the first call fails in the same way and
        // reports it.
        var _ = Loading.CALLS;
    }

    /** Whether a descriptor of this process is a terminal; fails where the library cannot be loaded. */
    public static boolean isTerminal(int descriptor) throws IOException {
        return calls().isatty(descriptor) == 1;
    }

    /** A function of the C library that jnr-posix lacks, bound by jnr-ffi. */
    public interface Terminal {

        /**
         * Fills a winsize: rows, columns and two further numbers of two bytes each. Returns less than zero on failure.
         */
        int ioctl(int descriptor, long request, @Out byte[] winsize);
    }

    /**
     * The columns of the terminal of a descriptor ({@code TIOCGWINSZ}); empty if it is not a terminal or has no width.
     */
    public static OptionalInt columns(int descriptor) {
        byte[] winsize = new byte[4 * Short.BYTES];
        int failed = LibraryLoader.create(Terminal.class).load("c").ioctl(descriptor, TIOCGWINSZ, winsize);
        int columns = Short.toUnsignedInt(
                ByteBuffer.wrap(winsize).order(ByteOrder.nativeOrder()).getShort(Short.BYTES));
        return failed != 0 || columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
    }

    /** Kills the process group of this leader (kill(2) with a negative ID). It is no error if the group has ended. */
    static void killGroup(long leader) throws IOException {
        calls().kill(-leader, SIGKILL);
    }

    /** The calls of the library; each returns less than zero on failure and sets the thread's {@code errno}. */
    static POSIX calls() throws IOException {
        try {
            return Loading.CALLS.join();
        } catch (CompletionException failure) {
            Throwable cause = failure.getCause();
            throw new IOException(
                    "the native part of jnr-posix cannot be loaded (" + (cause == null ? failure : cause).getMessage()
                            + "); give the agent a java.io.tmpdir that is not mounted noexec, or name the folder of"
                            + " libjffi by -Djffi.boot.library.path",
                    failure);
        }
    }

    /**
     * Loads the library at the first use, on a thread that is never interrupted: an interrupt while jffi unpacks its
     * library closes the file half-written, and the JVM crashes when it loads that.
     */
    private static final class Loading {

        static final CompletableFuture<POSIX> CALLS = CompletableFuture.supplyAsync(
                POSIXFactory::getNativePOSIX,
                task -> Thread.ofPlatform().name("start-posix").daemon().start(task));
    }
}
