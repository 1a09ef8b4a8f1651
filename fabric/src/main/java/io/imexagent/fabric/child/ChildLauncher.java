package io.imexagent.fabric.child;

import io.imexagent.host.PipedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Starts a child as a process. The launcher decides which device nodes the child can reach. */
@FunctionalInterface
public interface ChildLauncher {

    /** Starts a child. The exception names the program that cannot be started. */
    PipedProcess launch() throws IOException;

    /** Launches children with the device nodes of this process, as a rank in its container does. */
    static ChildLauncher plain(ChildProgram program) {
        return () -> start(program.words());
    }

    /** Starts the command of a child, without environment variables that change how libcuda works. */
    static PipedProcess start(List<String> words) throws IOException {
        return PipedProcess.start(
                words,
                // These variables could replace the driver that is to be tested.
                name -> name.startsWith("CUDA_")
                        || Set.of("LD_PRELOAD", "LD_AUDIT").contains(name),
                // Otherwise libcuda would connect to an MPS daemon, which shares GPUs, at its default place.
                List.of("CUDA_MPS_PIPE_DIRECTORY=/nonexistent"));
    }
}
