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
 * The calls of the C library that the JDK does not have, by jnr-posix. Its first use loads the library, which takes a
 * tenth of a second of a core; whoever will need it begins early, by {@link #preload()}. See decision 0052.
 */
public final class Posix {

    private static final int SIGKILL = 9;

    /** Of every architecture that has GB200s, asm-generic/ioctls.h. */
    private static final long TIOCGWINSZ = 0x5413;

    private Posix() {}

    /** Loads the library on a thread of its own; the first call then waits for the rest of that, if at all. */
    public static void preload() {
        // The first look at it begins the loading. The first call meets the same fault, and knows what cannot be done
        // now.
        var _ = Loading.CALLS;
    }

    /** Whether a descriptor of this process is a terminal; fails where the library cannot be loaded. */
    public static boolean isTerminal(int descriptor) throws IOException {
        return calls().isatty(descriptor) == 1;
    }

    /** What jnr-posix lacks of the C library; jnr-ffi, below it, binds it. */
    public interface Terminal {

        /** Fills the winsize: rows, columns and two more, of two bytes each; less than zero is a failure. */
        int ioctl(int descriptor, long request, @Out byte[] winsize);
    }

    /** The columns of the terminal behind a descriptor ({@code TIOCGWINSZ}), if it has any. */
    public static OptionalInt columns(int descriptor) {
        byte[] winsize = new byte[4 * Short.BYTES];
        int failed = LibraryLoader.create(Terminal.class).load("c").ioctl(descriptor, TIOCGWINSZ, winsize);
        int columns = Short.toUnsignedInt(
                ByteBuffer.wrap(winsize).order(ByteOrder.nativeOrder()).getShort(Short.BYTES));
        return failed != 0 || columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
    }

    /** Kills the process group of this leader (kill(2) with a negative ID); one that has ended is none. */
    static void killGroup(long leader) throws IOException {
        calls().kill(-leader, SIGKILL);
    }

    /** The calls; each returns less than zero for a failure, with {@code errno} of the thread. */
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
     * Begins with the first use, on a thread that nobody interrupts: where jffi unpacks its library, an interrupt closes
     * the channel that it writes through, and the JVM dies of the half that it loads then.
     */
    private static final class Loading {

        static final CompletableFuture<POSIX> CALLS = CompletableFuture.supplyAsync(
                POSIXFactory::getNativePOSIX,
                task -> Thread.ofPlatform().name("start-posix").daemon().start(task));
    }
}
