package io.imexagent.checkpoint;

import io.imexagent.checkpoint.CheckpointFormat.Decoded;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger across the life of the process: {@code checkpoint.json} in the plugin's directory, and a copy of it,
 * {@code checkpoint.json.bak}. After a failed save, {@link #load} finds the ledger of before, or, if only the last
 * flush failed, the new one. Not safe for several threads; {@link PluginLock} excludes other processes. Failures are an
 * {@link IOException} that names path, reason and remedy.
 *
 * <p>A save costs one flush of a file and one of the directory. A crash of the process leaves both files whole, one of
 * them perhaps of the save before; one of the host the checkpoint, and its boot voids what stands there. A broken file
 * is moved to {@code checkpoint.json.corrupt-<time>}, and the last {@value #KEPT_ASIDE} of those are kept.
 */
public final class FileCheckpointStore {

    /** The number of broken files that are kept for later analysis. */
    static final int KEPT_ASIDE = 5;

    private static final Logger LOG = LoggerFactory.getLogger(FileCheckpointStore.class);
    /**
     * The share of the heap that a file may have: saving takes some five times the size of the file, reading and saving
     * together twelve times.
     */
    private static final int WRITTEN_OF_HEAP = 32;

    private static final int READ_OF_HEAP = 16;
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Path directory;
    private final CheckpointFormat format;
    private final Path current;
    private final Path backup;
    private final InstantSource clock;
    private final DurableFiles files;
    private final long heap;
    private final EntryTexts texts = new EntryTexts();
    private Optional<Stamp> noted = Optional.empty();

    /** Identifies one version of a file: other processes replace the file, and do not overwrite it. */
    private record Stamp(@Nullable Object inode, long size, FileTime written) {}

    /**
     * The file of this format in the directory; the first save creates it. The clock is for the names of broken files
     * that are moved aside.
     */
    public FileCheckpointStore(Path directory, CheckpointFormat format, InstantSource clock, FileSteps steps) {
        this(directory, format, clock, steps, Runtime.getRuntime().maxMemory());
    }

    FileCheckpointStore(Path directory, CheckpointFormat format, InstantSource clock, FileSteps steps, long heap) {
        this.directory = directory;
        this.format = format;
        this.current = directory.resolve(format.fileName());
        this.backup = backupOf(current);
        this.clock = clock;
        this.files = new DurableFiles(steps, "the claim is retried");
        this.heap = heap;
    }

    public static Path backupOf(Path checkpoint) {
        return checkpoint.resolveSibling(checkpoint.getFileName() + ".bak");
    }

    public Path file() {
        return current;
    }

    /** What {@link #load} would find in a directory, without moving or removing files; safe beside a running agent. */
    public static LoadOutcome inspect(Path directory, CheckpointFormat format) throws IOException {
        return new FileCheckpointStore(directory, format, InstantSource.system(), FileSteps.ALL_PASS).inspect();
    }

    private LoadOutcome inspect() throws IOException {
        Optional<Decoded> now = read(current);
        if (now.orElse(null) instanceof Decoded.IntactCheckpoint(Ledger ledger, boolean beforeV2)) {
            return new LoadOutcome.LoadedCheckpoint(
                    ledger,
                    beforeV2
                            ? Optional.of("it is of a driver before format V2; its claims are adopted without names")
                            : Optional.empty());
        }
        Optional<Decoded> before = read(backup);
        if (before.orElse(null) instanceof Decoded.IntactCheckpoint whole) {
            String what = fault(current, now).orElse(current + " is missing");
            return new LoadOutcome.RecoveredFromBackup(whole.ledger(), what + "; " + age(), Optional.empty());
        }
        List<String> reasons = Stream.of(fault(current, now), fault(backup, before))
                .flatMap(Optional::stream)
                .toList();
        return reasons.isEmpty() ? new LoadOutcome.NoCheckpoint() : new LoadOutcome.UnreadableCheckpoint(reasons);
    }

    /** Whether there is neither a checkpoint nor a backup. */
    public boolean isMissing() throws IOException {
        return inspect() instanceof LoadOutcome.NoCheckpoint;
    }

    private static Optional<String> fault(Path file, Optional<Decoded> found) {
        return found.orElse(null) instanceof Decoded.BrokenCheckpoint(String reason)
                ? Optional.of(file + " is no whole checkpoint: " + reason)
                : Optional.empty();
    }

    /** Loads the ledger, once at the start, and moves a broken file aside. */
    public LoadOutcome load() throws IOException {
        files.sweepTemporaries(directory, format.fileName());
        LoadOutcome found = inspect();
        if (!(found instanceof LoadOutcome.RecoveredFromBackup backedUp)) {
            return found;
        }
        Optional<Path> aside = setAside(current);
        if (aside.isEmpty()) {
            LOG.warn("checkpoint is missing, its backup is used path={} backup={}", current, backup);
        }
        return new LoadOutcome.RecoveredFromBackup(backedUp.ledger(), backedUp.reason(), aside);
    }

    /** The ledger if {@link #load} would find it intact and change no file; otherwise empty. Works without the lock. */
    public Optional<Ledger> intact() throws IOException {
        return files.temporaries(directory, format.fileName()).isEmpty()
                        && inspect() instanceof LoadOutcome.LoadedCheckpoint loaded
                        && loaded.note().isEmpty()
                ? Optional.of(loaded.ledger())
                : Optional.empty();
    }

    /** Saves the ledger durably. The state of the file is noted afterwards, also after a failure. */
    public void save(Ledger ledger) throws IOException {
        try {
            files.createDirectory(directory);
            files.replaceWithCopy(current, backup, format.encode(ledger, texts), FILE_MODE);
        } finally {
            note();
        }
    }

    /** Notes the current state of the checkpoint, for {@link #changed}. */
    public void note() {
        noted = stamp();
    }

    /**
     * Whether another process, the public driver or a second agent, replaced the checkpoint since it was noted. A file
     * that cannot be read counts as missing.
     */
    public boolean changed() {
        return !stamp().equals(noted);
    }

    private Optional<Stamp> stamp() {
        try {
            var attributes = Files.readAttributes(current, BasicFileAttributes.class);
            return Optional.of(new Stamp(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime()));
        } catch (IOException unseen) {
            return Optional.empty();
        }
    }

    /**
     * Why there is no room for a further claim, as a sentence; empty if there is room. Changes of existing claims are
     * saved in any case.
     */
    public Optional<String> full() throws IOException {
        try {
            long size = Files.size(current);
            return size < heap / WRITTEN_OF_HEAP
                    ? Optional.empty()
                    : Optional.of(current + " has " + size + " bytes, there is no room for another claim");
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            throw FileFault.of("read", current, e, "");
        }
    }

    /**
     * Moves broken files aside, so that the node can start without a checkpoint, and returns their new paths. Intact
     * files stay.
     */
    public List<Path> setAside() throws IOException {
        var moved = new ArrayList<Path>();
        for (Path file : List.of(current, backup)) {
            setAside(file).ifPresent(moved::add);
        }
        return List.copyOf(moved);
    }

    private Optional<Path> setAside(Path file) throws IOException {
        if (!(read(file).orElse(null) instanceof Decoded.BrokenCheckpoint(String reason))) {
            return Optional.empty();
        }
        String prefix = format.fileName() + ".corrupt-";
        String name = prefix + STAMP.format(clock.instant());
        Path aside = directory.resolve(name);
        for (int number = 1; Files.exists(aside); number++) {
            aside = directory.resolve(name + "-" + number);
        }
        files.move(file, aside);
        LOG.warn("broken checkpoint moved aside path={} movedTo={} reason=\"{}\"", file, aside, reason);
        List<Path> kept = DurableFiles.entries(directory, "").stream()
                .filter(other -> other.getFileName().toString().startsWith(prefix))
                .sorted(Comparator.comparing(Path::toString))
                .toList();
        files.delete(kept.subList(0, Math.max(0, kept.size() - KEPT_ASIDE)));
        return Optional.of(aside);
    }

    private Optional<Decoded> read(Path file) throws IOException {
        int largest = Math.toIntExact(Math.min(heap / READ_OF_HEAP, Integer.MAX_VALUE - 1));
        byte[] content;
        try (InputStream in = Files.newInputStream(file)) {
            content = in.readNBytes(largest + 1);
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            throw FileFault.of("read", file, e, "");
        }
        if (content.length > largest) {
            // The file may be intact, so it is neither moved aside nor overwritten.
            throw new IOException(file + " has more than the " + largest + " bytes for which the heap of "
                    + (heap >> 20) + " MiB is made; start imex-agent with a heap of " + READ_OF_HEAP
                    + " times the file, IMEX_AGENT_JVM_OPTIONS=-Xmx<MiB>m");
        }
        return Optional.of(format.decode(content));
    }

    private String age() throws IOException {
        try {
            Instant written = Files.getLastModifiedTime(backup).toInstant();
            return "the backup of " + GoJson.seconds(written) + " is used";
        } catch (IOException e) {
            throw FileFault.of("read", backup, e, "");
        }
    }

    public sealed interface LoadOutcome {

        /**
         * The checkpoint, with a note for the log. The caller decides whether its claims are void because they are of
         * an earlier boot.
         */
        record LoadedCheckpoint(Ledger ledger, Optional<String> note) implements LoadOutcome {}

        /** There is neither a checkpoint nor a backup: this node never prepared a claim, or both files were lost. */
        record NoCheckpoint() implements LoadOutcome {}

        /**
         * The checkpoint is missing or broken, and the backup is intact; the reason states the age of the backup. The
         * backup may lack the last change, or have one that the checkpoint lacked, so CDI specs and ledger must be
         * reconciled.
         */
        record RecoveredFromBackup(Ledger ledger, String reason, Optional<Path> movedAside) implements LoadOutcome {}

        /**
         * No file is valid; there is a reason for each, and no file was moved. If the node has no CDI specs of this
         * driver, it may start again after {@link #setAside()}; otherwise containers may hold channels that no ledger
         * records.
         */
        record UnreadableCheckpoint(List<String> reasons) implements LoadOutcome {

            public UnreadableCheckpoint {
                reasons = List.copyOf(reasons);
            }
        }
    }
}
