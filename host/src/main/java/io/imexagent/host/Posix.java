package io.imexagent.host;

import java.io.IOException;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/**
 * The calls of the C library that the JDK does not have, by jnr-posix. Its first use loads the library, which takes a
 * tenth of a second of a core; whoever will need it begins early, by {@link #preload()}. See decision 0052.
 */
public final class Posix {

    private static final int SIGKILL = 9;

    private Posix() {}

    /** Loads the library on a thread of its own; the first call then waits for the rest of that, if at all. */
    public static void preload() {
        Thread.ofPlatform().name("posix").daemon().start(() -> {
            try {
                calls();
            } catch (IOException failure) {
                // The first call meets the same fault, and knows what cannot be done now.
            }
        });
    }

    /** Whether a descriptor of this process is a terminal; fails where the library cannot be loaded. */
    public static boolean isTerminal(int descriptor) throws IOException {
        return calls().isatty(descriptor) == 1;
    }

    /** Kills the process group of this leader (kill(2) with a negative ID); one that has ended is none. */
    static void killGroup(long leader) throws IOException {
        calls().kill(-leader, SIGKILL);
    }

    /** The calls; each returns less than zero for a failure, with {@code errno} of the thread. */
    static POSIX calls() throws IOException {
        try {
            return Loaded.CALLS;
        } catch (LinkageError failure) {
            throw new IOException(
                    "the native part of jnr-posix cannot be loaded (" + failure.getMessage()
                            + "); give the agent a java.io.tmpdir that is not mounted noexec, or name the folder of"
                            + " libjffi by -Djffi.boot.library.path",
                    failure);
        }
    }

    /** Loaded with the first use. */
    private static final class Loaded {
        static final POSIX CALLS = POSIXFactory.getNativePOSIX();
    }
}
