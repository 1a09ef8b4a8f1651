package io.imexagent.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

    /** The columns of the terminal behind a descriptor ({@code TIOCGWINSZ}), if it has any; jnr-posix has no ioctl. */
    @SuppressWarnings("restricted") // the JVM is started with native access
    public static OptionalInt columns(int descriptor) {
        Linker linker = Linker.nativeLinker();
        MethodHandle ioctl = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("ioctl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(2));
        try (Arena arena = Arena.ofConfined()) {
            // struct winsize: rows, columns and two more, of two bytes each.
            MemorySegment size = arena.allocate(4 * JAVA_SHORT.byteSize());
            int failed = (int) ioctl.invokeExact(descriptor, TIOCGWINSZ, size);
            int columns = Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 1));
            return failed != 0 || columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
        } catch (Throwable impossible) {
            throw new IllegalStateException("ioctl cannot be called", impossible);
        }
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
