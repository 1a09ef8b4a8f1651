package io.imexagent.nvml.jna;

import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * NVML over the driver's {@code libnvidia-ml.so.1}. {@link #open()} searches for that file, and so finds a driver that
 * was updated or installed later. A process creates only one instance: a second would keep a library of its own.
 */
public final class JnaNvml implements Nvml {
    /** The flag {@code NVML_INIT_FLAG_NO_GPUS}: a host without GPUs is not an error. */
    private static final int NO_GPUS = 1;

    private final KeptLibrary library;

    /**
     * Creates NVML of the driver below this root. {@code libraryPath} has the folders of {@code LD_LIBRARY_PATH}, which
     * the dynamic linker searches first. With a {@code patience}, a process of its own first loads each library, for
     * that time at most, so that a library that hangs or crashes does not harm this process.
     */
    public JnaNvml(Path driverRoot, List<Path> libraryPath, Optional<Duration> patience) {
        this.library = new KeptLibrary(
                LibrarySearch.of(driverRoot, libraryPath, LibrarySearch.NVML), patience.map(TrialLoad::new));
    }

    @Override
    public NvmlSession open() throws NvmlException {
        NvmlFunctions functions = library.take();
        try {
            functions.call(NvmlCall.INIT, NO_GPUS);
            return new JnaNvmlSession(functions, library);
        } catch (NvmlException | RuntimeException | Error failure) {
            library.giveBack();
            throw failure;
        }
    }
}
