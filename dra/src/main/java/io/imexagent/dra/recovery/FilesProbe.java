package io.imexagent.dra.recovery;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.files.FileFault;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Finds out again and again whether the files of claims can be changed, on their worker: takes the plugin's lock,
 * writes and removes a file beside the checkpoint, and looks at the directory of CDI specs. Container runtimes read
 * that directory again whenever a file goes, so nothing is written there unless a claim's files have failed.
 */
public final class FilesProbe extends Loop {

    static final Duration INTERVAL = Duration.ofSeconds(30);

    private static final String NAME = ".imex-agent-probe";
    private static final int LEAST = 4 << 10;
    private static final int MOST = 1 << 20;
    private static final String OF_A_CLAIM = "a claim's files could not be written; see the log";
    private static final String CONSEQUENCE = "claims are refused until then";

    private final PreparedClaims claims;
    private final Path checkpoint;
    private final Path specs;
    private final Worker worker;
    private final AtomicReference<Optional<String>> fault =
            new AtomicReference<>(Optional.of("checkpoint and CDI specs have not been checked yet"));
    private volatile Optional<String> specsFault = Optional.empty();
    private volatile boolean thorough;

    public FilesProbe(PreparedClaims claims, Path checkpoint, Path specs, Worker worker) {
        super("files-probe", new Signal());
        this.claims = claims;
        this.checkpoint = checkpoint;
        this.specs = specs;
        this.worker = worker;
        claims.onChange(saved -> fault.set(Optional.empty()));
    }

    /** The files of a claim have failed: the next look writes into both directories. Never blocks. */
    public void doubt() {
        // What a look has found names the file, and stands.
        fault.updateAndGet(found -> found.or(() -> Optional.of(OF_A_CLAIM)));
        thorough = true;
    }

    /** Why CDI specs of prepared claims are not as they should be; empty once they are. Never blocks. */
    public void specs(Optional<String> why) {
        specsFault = why.map(reason -> "CDI specs of prepared claims are missing or wrong, so their containers cannot"
                + " restart: " + reason);
    }

    /** Whether the files of claims can be changed, as the last change or the last look after it has shown. */
    public Condition condition() {
        Optional<String> wrong = specsFault.or(fault::get);
        return new Condition(
                "checkpoint-writable", wrong.isEmpty(), wrong.orElse("checkpoint, CDI specs and lock can be changed"));
    }

    /** Looks once; returns when to come back. One thread at a time. */
    @Override
    public Duration turn() throws InterruptedException {
        try {
            var _ = worker.submit(() -> probe(thorough)).get();
        } catch (ExecutionException closed) {
            fault.set(Optional.of("the files of claims could not be checked: " + closed.getCause()));
        }
        return INTERVAL;
    }

    private boolean probe(boolean all) throws InterruptedException {
        try {
            claims.locked(session -> {
                write(checkpoint.resolveSibling(NAME));
                if (all && Files.isDirectory(specs)) {
                    write(specs.resolve(NAME));
                } else {
                    check(specs);
                }
                return true;
            });
            if (all) {
                thorough = false;
            }
            fault.set(Optional.empty());
        } catch (IOException failure) {
            fault.set(Optional.of(String.valueOf(failure.getMessage())));
        }
        return true;
    }

    /** As many bytes as the checkpoint has: a disk that is nearly full takes less. */
    private void write(Path file) throws IOException {
        try {
            long size = Files.exists(checkpoint) ? Files.size(checkpoint) : 0;
            Files.write(file, new byte[(int) Math.max(LEAST, Math.min(size, MOST))]);
            Files.delete(file);
        } catch (IOException failure) {
            var _ = file.toFile().delete();
            throw FileFault.of("write", file, failure, CONSEQUENCE);
        }
    }

    /** A directory that is missing is made with the first spec. */
    private static void check(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try {
            if (!Files.isWritable(directory)) {
                throw Files.getFileStore(directory).isReadOnly()
                        ? new FileSystemException(directory.toString(), null, "Read-only file system")
                        : new AccessDeniedException(directory.toString());
            }
            if (Files.getFileStore(directory).getUsableSpace() == 0) {
                throw new FileSystemException(directory.toString(), null, "No space left on device");
            }
        } catch (IOException failure) {
            throw FileFault.of("write into", directory, failure, CONSEQUENCE);
        }
    }
}
