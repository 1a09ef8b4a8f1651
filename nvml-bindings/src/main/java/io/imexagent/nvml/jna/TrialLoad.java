package io.imexagent.nvml.jna;

import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.LibraryHangs;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loads a library in a process of its own before it is loaded into this one: a shell that does nothing, with the
 * library in {@code LD_PRELOAD} (ld.so(8)).
 *
 * <p>A library that hangs in {@code dlopen} holds the lock of the C library's loader, which the JVM needs even to exit;
 * a library that crashes would end the process (docs/decisions/0004). Each file is tried once; a file that was
 * replaced, or has failed, is tried again. At most one process remains, if the kernel cannot kill it: no other begins
 * before it has ended.
 */
final class TrialLoad {

    private static final String SHELL = "/bin/sh";
    private static final File NULL = new File("/dev/null");
    /** {@link Process#exitValue()} of a process that a signal ended, less the signal's number (waitpid(2)). */
    private static final int SIGNALLED = 0x80;

    private final Duration patience;
    private @Nullable LibraryFile passed;
    private Optional<Process> left = Optional.empty();

    TrialLoad(Duration patience) {
        this.patience = patience;
    }

    /** Tries a library; throws if it hangs or crashes, or the thread is interrupted. */
    synchronized void before(LibraryFile library) throws NvmlException {
        if (left.filter(Process::isAlive).isPresent()) {
            throw new LibraryHangs(library.path(), patience);
        }
        if (library.file().isEmpty() || library.equals(passed)) {
            return;
        }
        Optional<Process> started = start(library.path());
        if (started.isPresent()) {
            await(started.get(), library.path());
        }
        passed = library;
    }

    private void await(Process process, Path library) throws NvmlException {
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                left = Optional.of(process);
                throw new LibraryHangs(library, patience);
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            throw new LibraryNotLoadable(List.of(library + ": interrupted while it was tried"));
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() > SIGNALLED) {
            throw new LibraryNotLoadable(List.of(library + ": a process that loads it ends with signal "
                    + (process.exitValue() - SIGNALLED)
                    + "; reinstall the driver"));
        }
    }

    /** Starts the process; empty if none can be started, so that nothing can be tried. */
    private static Optional<Process> start(Path library) {
        var builder = new ProcessBuilder(SHELL, "-c", ":")
                .redirectInput(NULL)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                // The loader's messages on a library that it skips are not needed: dlopen reports them, too.
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LD_PRELOAD", library.toString());
        try {
            return Optional.of(builder.start());
        } catch (IOException noShell) {
            return Optional.empty();
        }
    }
}
