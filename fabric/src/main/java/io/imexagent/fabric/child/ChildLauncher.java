package io.imexagent.fabric.child;

import io.imexagent.host.PipedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Starts a child as a process; how, says what the child can reach. */
@FunctionalInterface
public interface ChildLauncher {

    /** Starts a child. The failure names what cannot be started. */
    PipedProcess launch() throws IOException;

    /** A child with the device nodes of this process: a rank in its container. */
    static ChildLauncher plain(ChildProgram program) {
        return () -> start(program.words());
    }

    /** Starts what becomes a child, with variables that cannot bend libcuda. */
    static PipedProcess start(List<String> words) throws IOException {
        return PipedProcess.start(
                words,
                // What they name or preload would be tested in place of the driver.
                name -> name.startsWith("CUDA_")
                        || Set.of("LD_PRELOAD", "LD_AUDIT").contains(name),
                // A daemon that shares GPUs (MPS) would otherwise be found at its default place.
                List.of("CUDA_MPS_PIPE_DIRECTORY=/nonexistent"));
    }
}
