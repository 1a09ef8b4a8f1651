package io.imexagent.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Calls of the C library that the JDK lacks: through jnr-posix on HotSpot (decision 0052), through JNA in the native image
 * (decision 0107). The first use loads the library, which takes HotSpot a tenth of a second of one core;
 * {@link #preload()} does that in advance.
 */
public final class Posix {

    /** This class is initialised when the image is built (packaging/native-image/options): it has JNA's calls alone. */
    private static final boolean IMAGE = isNativeImage();

    private static final int SIGKILL = 9;

    /** From asm-generic/ioctls.h, the same on x86-64 and aarch64. */
    private static final long TIOCGWINSZ = 0x5413;

    private Posix() {}

    /** Whether this process is the native image, or builds it. */
    public static boolean isNativeImage() {
        return System.getProperty("org.graalvm.nativeimage.imagecode") != null;
    }

    /** Loads the library on a thread of its own, so that the first call waits less or not at all. */
    public static void preload() {
        // The first access starts the loading. A fault here is not handled: the first call fails in the same way and
        // reports it.
        var _ = Loading.CALLS;
    }

    /** Whether a descriptor of this process is a terminal; false where the library cannot be loaded. */
    public static boolean isTerminal(int descriptor) {
        try {
            return calls().isatty(descriptor) == 1;
        } catch (IOException notLoaded) {
            return false;
        }
    }

    /**
     * The columns of the terminal of a descriptor ({@code TIOCGWINSZ}); empty if it is not a terminal, has no width, or
     * the library cannot be loaded.
     */
    public static OptionalInt columns(int descriptor) {
        // struct winsize: rows, columns and two further numbers of two bytes each.
        byte[] winsize = new byte[4 * Short.BYTES];
        try {
            if (calls().ioctl(descriptor, TIOCGWINSZ, winsize) != 0) {
                return OptionalInt.empty();
            }
        } catch (IOException notLoaded) {
            return OptionalInt.empty();
        }
        int columns = Short.toUnsignedInt(
                ByteBuffer.wrap(winsize).order(ByteOrder.nativeOrder()).getShort(Short.BYTES));
        return columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
    }

    /** Kills the process group of this leader (kill(2) with a negative ID). It is no error if the group has ended. */
    static void killGroup(long leader) throws IOException {
        calls().kill(Math.toIntExact(-leader), SIGKILL);
    }

    static PosixCalls calls() throws IOException {
        try {
            return Loading.CALLS.join();
        } catch (CompletionException failure) {
            Throwable cause = failure.getCause();
            throw new IOException(
                    "the C library cannot be called (" + (cause == null ? failure : cause).getMessage() + "); "
                            + (IMAGE
                                    ? "libjnidispatch.so must be in the folder native beside the program"
                                    : "give the agent a java.io.tmpdir that is not mounted noexec, or name the folder"
                                            + " of libjffi by -Djffi.boot.library.path"),
                    failure);
        }
    }

    /**
     * Loads the library at the first use, on a thread that is never interrupted: an interrupt while jffi unpacks its
     * library closes the file half-written, and the JVM crashes when it loads that.
     */
    private static final class Loading {

        static final CompletableFuture<PosixCalls> CALLS = CompletableFuture.supplyAsync(
                () -> IMAGE ? new JnaCalls() : new JnrCalls(),
                task -> Thread.ofPlatform().name("start-posix").daemon().start(task));
    }
}
