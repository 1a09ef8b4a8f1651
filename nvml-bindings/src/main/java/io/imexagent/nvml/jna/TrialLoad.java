package io.imexagent.nvml.jna;

import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.LibraryHangs;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loads a library in a process of its own before it is loaded into this one: a shell that does nothing, with the
 * library in {@code LD_PRELOAD} (ld.so(8)).
 *
 * <p>A library that hangs in {@code dlopen} keeps the lock of the C library's loader, which the JVM needs even to end;
 * one that crashes would take the process with it (docs/decisions/0004). Each file is tried once; one that was
 * replaced, or has failed, is tried again. At most one process is left over, where the kernel cannot kill it: no other
 * begins before it has ended.
 */
final class TrialLoad {

    private static final String SHELL = "/bin/sh";
    private static final File NULL = new File("/dev/null");
    /** waitpid(2): a process that a signal ended, as {@link Process#exitValue()} tells it. */
    private static final int SIGNALLED = 0x80;

    private final Duration patience;
    private @Nullable Identity passed;
    private Optional<Process> left = Optional.empty();

    TrialLoad(Duration patience) {
        this.patience = patience;
    }

    /** Tries a library; throws where it hangs or crashes, or the thread is interrupted. */
    synchronized void before(Path library) throws NvmlException {
        if (left.filter(Process::isAlive).isPresent()) {
            throw new LibraryHangs(library, patience);
        }
        Optional<Identity> file = identity(library);
        if (file.isEmpty() || file.get().equals(passed)) {
            return;
        }
        Optional<Process> started = start(library);
        if (started.isPresent()) {
            await(started.get(), library);
        }
        passed = file.get();
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

    /** The process; empty where none can be started, so that nothing can be tried. */
    private static Optional<Process> start(Path library) {
        var builder = new ProcessBuilder(SHELL, "-c", ":")
                .redirectInput(NULL)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                // The loader's words on a library that it passes over are not missed: dlopen has the same.
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LD_PRELOAD", library.toString());
        try {
            return Optional.of(builder.start());
        } catch (IOException noShell) {
            return Optional.empty();
        }
    }

    private static Optional<Identity> identity(Path library) {
        try {
            var file = Files.readAttributes(library, BasicFileAttributes.class);
            return Optional.of(
                    new Identity(library, Objects.toString(file.fileKey()), file.lastModifiedTime(), file.size()));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private record Identity(Path path, String key, FileTime modified, long size) {}
}
