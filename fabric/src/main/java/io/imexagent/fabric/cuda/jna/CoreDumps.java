package io.imexagent.fabric.cuda.jna;

import com.sun.jna.NativeLibrary;

/** Forbids core dumps of this process: libcuda may abort it, and a core dump would write mapped memory to disk. */
public final class CoreDumps {

    /** {@code RLIMIT_CORE}, the same on every architecture with NVIDIA GPUs (asm-generic/resource.h). */
    private static final int RLIMIT_CORE = 4;

    private CoreDumps() {}

    /**
     * Sets the limit of core dumps to 0 for the rest of this process's life; setrlimit(2) always permits to lower a
     * limit.
     */
    public static void forbid() {
        // The struct rlimit has rlim_cur and rlim_max, of eight bytes each.
        byte[] none = new byte[2 * Long.BYTES];
        int failed = NativeLibrary.getProcess().getFunction("setrlimit").invokeInt(new Object[] {RLIMIT_CORE, none});
        if (failed != 0) {
            throw new IllegalStateException("core dumps cannot be forbidden");
        }
    }
}
