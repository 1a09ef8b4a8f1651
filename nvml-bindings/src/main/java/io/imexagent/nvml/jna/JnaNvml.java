package io.imexagent.nvml.jna;

import com.sun.jna.NativeLibrary;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * NVML over the driver's {@code libnvidia-ml.so.1}. Each {@link #open()} loads the library again by its full path, and so
 * finds a driver that was updated or has come since.
 */
public final class JnaNvml implements Nvml {
    /** {@code NVML_INIT_FLAG_NO_GPUS}: a host without GPUs is no error. */
    private static final int NO_GPUS = 1;

    private static final String LIBRARY = "libnvidia-ml.so.1";
    /** Where the library may be, below the driver's root, in the order in which they are tried. */
    private static final List<String> DIRECTORIES = List.of(
            "usr/lib64",
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "lib64",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu");

    private final Path driverRoot;
    private final Optional<TrialLoad> trial;

    /**
     * NVML of the driver whose {@code usr/lib64} or its like is below this directory. Where a patience is given, a process
     * of its own loads each library first, for so long at most, so that one that hangs or crashes does not harm this one.
     */
    public JnaNvml(Path driverRoot, Optional<Duration> patience) {
        this.driverRoot = driverRoot;
        this.trial = patience.map(TrialLoad::new);
    }

    @Override
    public NvmlSession open() throws NvmlException {
        NvmlFunctions functions = load();
        try {
            functions.call(NvmlCall.INIT, NO_GPUS);
            return new JnaNvmlSession(functions);
        } catch (NvmlException | RuntimeException | Error failure) {
            functions.unload();
            throw failure;
        }
    }

    private NvmlFunctions load() throws NvmlException {
        List<Path> searched = DIRECTORIES.stream()
                .map(directory -> driverRoot.resolve(directory).resolve(LIBRARY))
                .toList();
        List<Path> present = searched.stream().filter(Files::exists).toList();
        if (present.isEmpty()) {
            throw new NvmlException.LibraryNotFound(searched);
        }
        NativeLibrary process = process();
        List<String> reasons = new ArrayList<>();
        for (Path path : present) {
            if (trial.isPresent()) {
                trial.get().before(path);
            }
            try {
                return NvmlFunctions.open(process, path);
            } catch (UnsatisfiedLinkError error) {
                // A host may hold libraries of another architecture too, so the next place gets its turn.
                reasons.add(String.valueOf(error.getMessage()));
            }
        }
        throw new NvmlException.LibraryNotLoadable(reasons);
    }

    private static NativeLibrary process() throws NvmlException {
        try {
            return NativeLibrary.getProcess();
        } catch (LinkageError error) {
            throw new NvmlException.LibraryNotLoadable(
                    List.of("JNA's own native library does not load (" + error.getMessage()
                            + "); point jna.boot.library.path at the directory that holds libjnidispatch.so"));
        }
    }
}
