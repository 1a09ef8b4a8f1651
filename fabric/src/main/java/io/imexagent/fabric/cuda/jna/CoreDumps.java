package io.imexagent.fabric.cuda.jna;

import com.sun.jna.NativeLibrary;

/** Core dumps of this process: libcuda may abort it, and what was mapped would then lie on a disk. */
public final class CoreDumps {

    /** {@code RLIMIT_CORE} of every architecture that has GPUs, asm-generic/resource.h. */
    private static final int RLIMIT_CORE = 4;

    private CoreDumps() {}

    /** Forbids them to this process for good, by a limit of 0 (setrlimit(2)); lowering one is never refused. */
    public static void forbid() {
        // struct rlimit: rlim_cur and rlim_max, of eight bytes each.
        byte[] none = new byte[2 * Long.BYTES];
        int failed = NativeLibrary.getProcess().getFunction("setrlimit").invokeInt(new Object[] {RLIMIT_CORE, none});
        if (failed != 0) {
            throw new IllegalStateException("core dumps cannot be forbidden");
        }
    }
}
