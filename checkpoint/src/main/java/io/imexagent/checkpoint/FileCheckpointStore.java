package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoint in the plugin's directory: {@code checkpoint.json}, where the public driver has it, and the generation
 * before it as {@code checkpoint.json.bak}.
 *
 * <p>A save costs one flush of a file and one of the directory. The old file gets its second name before the new one
 * takes the first, so at every crash both names lead to whole files: before, (n, n−1); between, (n, n); after,
 * (n+1, n). A broken file is moved to {@code checkpoint.json.corrupt-<time>}, and the last {@value #KEPT_ASIDE} of those
 * are kept.
 */
public final class FileCheckpointStore implements CheckpointStore {

    /** How many broken files are kept for whoever wants to know. */
    static final int KEPT_ASIDE = 5;

    private static final Logger LOG = LoggerFactory.getLogger(FileCheckpointStore.class);
    private static final int LARGEST = 64 << 20;
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Path directory;
    private final CheckpointFormat format;
    private final Path current;
    private final Path backup;
    private final InstantSource clock;
    private final DurableFiles files;

    /**
     * The checkpoint in the directory, which is made by the first save where it is missing.
     *
     * @param clock names what is moved aside
     */
    public FileCheckpointStore(Path directory, InstantSource clock) {
        this(directory, clock, FileSteps.ALL_PASS);
    }

    /** As above; the steps are told of everything that is done to files. */
    public FileCheckpointStore(Path directory, InstantSource clock, FileSteps steps) {
        this(directory, CheckpointFormat.PUBLIC_DRIVER, clock, steps);
    }

    /** A file of this format in the directory, kept in the same way under the format's own name. */
    public FileCheckpointStore(Path directory, CheckpointFormat format, InstantSource clock, FileSteps steps) {
        this.directory = directory;
        this.format = format;
        this.current = directory.resolve(format.fileName());
        this.backup = backupOf(current);
        this.clock = clock;
        this.files = new DurableFiles(steps, "the claim is retried");
    }

    /** The file of the generation before, beside the checkpoint. */
    public static Path backupOf(Path checkpoint) {
        return checkpoint.resolveSibling(checkpoint.getFileName() + ".bak");
    }

    /** The file of the checkpoint. */
    public Path file() {
        return current;
    }

    /**
     * What {@link #load} finds in a directory, but nothing is moved or removed; for a look beside a running agent.
     *
     * @throws IOException where the files cannot be read at all
     */
    public static LoadOutcome look(Path directory, CheckpointFormat format) throws IOException {
        Path current = directory.resolve(format.fileName());
        Path backup = backupOf(current);
        Generation now = read(current, format);
        Generation before = now instanceof Generation.Intact ? new Generation.Missing() : read(backup, format);
        return Generation.outcome(now, before, current, backup, age(backup, before));
    }

    @Override
    public LoadOutcome load() throws IOException {
        files.sweepTemporaries(directory, format.fileName());
        return switch (look(directory, format)) {
            case LoadOutcome.RecoveredFromBackup recovered -> recovered(recovered);
            case LoadOutcome.Loaded loaded -> loaded;
            case LoadOutcome.Fresh fresh -> fresh;
            case LoadOutcome.Unreadable unreadable -> unreadable;
        };
    }

    @Override
    public Optional<Ledger> intact() throws IOException {
        return files.temporaries(directory, format.fileName()).isEmpty()
                        && look(directory, format) instanceof LoadOutcome.Loaded loaded
                        && loaded.note().isEmpty()
                ? Optional.of(loaded.ledger())
                : Optional.empty();
    }

    private LoadOutcome recovered(LoadOutcome.RecoveredFromBackup outcome) throws IOException {
        Optional<Path> aside = setAside(current, read(current, format));
        if (aside.isEmpty()) {
            LOG.warn("checkpoint is missing, its backup is used path={} backup={}", current, backup);
        }
        return new LoadOutcome.RecoveredFromBackup(outcome.ledger(), outcome.reason(), aside);
    }

    @Override
    public void save(Ledger ledger) throws IOException {
        files.createDirectory(directory, DIRECTORY_MODE);
        files.replaceKeeping(current, backup, format.encode(ledger), FILE_MODE);
    }

    @Override
    public List<Path> setAside() throws IOException {
        var moved = new ArrayList<Path>();
        for (Path file : List.of(current, backup)) {
            setAside(file, read(file, format)).ifPresent(moved::add);
        }
        return List.copyOf(moved);
    }

    private Optional<Path> setAside(Path file, Generation found) throws IOException {
        return switch (found) {
            case Generation.Broken broken -> {
                Path aside = freeName();
                files.move(file, aside);
                LOG.warn(
                        "broken checkpoint moved aside path={} movedTo={} reason=\"{}\"", file, aside, broken.reason());
                prune();
                yield Optional.of(aside);
            }
            case Generation.Missing missing -> Optional.empty();
            case Generation.Intact intact -> Optional.empty();
        };
    }

    private Path freeName() {
        String name = aside() + STAMP.format(clock.instant());
        Path free = directory.resolve(name);
        for (int number = 1; Files.exists(free); number++) {
            free = directory.resolve(name + "-" + number);
        }
        return free;
    }

    private String aside() {
        return format.fileName() + ".corrupt-";
    }

    private void prune() throws IOException {
        var aside = new ArrayList<Path>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, aside() + "*")) {
            entries.forEach(aside::add);
        } catch (DirectoryIteratorException e) {
            throw FileFault.of("list", directory, new IOException(e.getMessage(), e), "");
        } catch (IOException e) {
            throw FileFault.of("list", directory, e, "");
        }
        aside.sort(Comparator.comparing(Path::toString));
        files.delete(aside.subList(0, Math.max(0, aside.size() - KEPT_ASIDE)));
    }

    private static Generation read(Path file, CheckpointFormat format) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(LARGEST + 1);
            return content.length > LARGEST
                    ? new Generation.Broken("it is larger than " + LARGEST + " bytes")
                    : Generation.of(format.decode(content));
        } catch (NoSuchFileException absent) {
            return new Generation.Missing();
        } catch (IOException e) {
            throw FileFault.of("read", file, e, "");
        }
    }

    private static String age(Path backup, Generation found) throws IOException {
        if (!(found instanceof Generation.Intact)) {
            return "";
        }
        try {
            Instant written = Files.getLastModifiedTime(backup).toInstant();
            return "the backup of " + ClaimStatusWriter.time(written) + " is used";
        } catch (IOException e) {
            throw FileFault.of("read", backup, e, "");
        }
    }
}
