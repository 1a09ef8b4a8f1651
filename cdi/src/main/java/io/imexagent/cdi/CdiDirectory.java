package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimEdits.ClaimFile;
import io.imexagent.core.claim.ClaimEdits.Edits;
import io.imexagent.core.claim.ClaimEdits.Mount;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The CDI specs of claims in one directory, normally {@code /var/run/cdi}: a file {@code <vendor>-<class>_<claim
 * UID>.yaml} for each claim, which runtimes see whole or not at all. A claim's own file lies in the same directory with
 * the suffix {@code .conf}, which runtimes ignore; it is written before the spec that mounts it, and removed after it.
 *
 * <p>The public driver's {@code .json} files count as specs, and go when the claim's spec is written or removed: a
 * device in two files is disabled in both. Other files are never touched. What stands in a file's place and is no
 * regular file, or larger than any spec, is never read to its end: it counts as wrong content, and is replaced. What
 * fails is an {@link IOException} that names path, reason and remedy. Not for several threads at a time.
 */
public final class CdiDirectory {

    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-xr-x");

    /** The largest spec that is read; a spec has some hundred bytes for each device. */
    private static final int LARGEST = 1 << 20;

    private static final byte[] NOTHING = new byte[0];

    private static final String YAML = ".yaml";
    private static final String JSON = ".json";
    private static final String OWN = ".conf";

    private final Path directory;
    private final CdiKind kind;
    private final String prefix;
    private final DurableFiles files;

    /** The specs of this kind in the directory, which may be missing still. */
    public CdiDirectory(Path directory, CdiKind kind) {
        this(directory, kind, FileSteps.ALL_PASS);
    }

    /** The specs of this kind in the directory; {@code steps} is called for each change of a file. */
    public CdiDirectory(Path directory, CdiKind kind, FileSteps steps) {
        this.directory = directory;
        this.kind = kind;
        this.prefix = kind.vendor() + "-" + kind.className() + "_";
        this.files = new DurableFiles(steps, "the claim is retried");
    }

    public Path directory() {
        return directory;
    }

    /** Whether a file of this name is a claim's spec, or its own file. */
    public boolean isOfClaim(Path name) {
        return Stream.of(YAML, JSON, OWN)
                .anyMatch(extension -> claimOf(name, extension).isPresent());
    }

    /** The path of the claim's spec. */
    public Path file(ClaimUid claim) {
        return directory.resolve(prefix + claim + YAML);
    }

    /**
     * Writes the claim's spec durably, unless it has exactly these edits already; returns whether anything was written.
     * Throws {@link IllegalArgumentException} for edits that break a rule of CDI, since runtimes would refuse the spec.
     */
    public boolean ensure(ClaimUid claim, ClaimEdits edits) throws IOException {
        byte[] spec = encode(claim, edits);
        Optional<byte[]> own = edits.file().map(CdiDirectory::text);
        if (holds(claim, spec, own)) {
            return false;
        }
        write(claim, spec, own);
        return true;
    }

    private void write(ClaimUid claim, byte[] spec, Optional<byte[]> own) throws IOException {
        files.createDirectory(directory, DIRECTORY_MODE);
        makeRoom(claim);
        if (Files.exists(json(claim), LinkOption.NOFOLLOW_LINKS)) {
            files.delete(List.of(json(claim)));
        }
        if (own.isPresent()) {
            files.replace(own(claim), own.get(), FILE_MODE);
        }
        files.replace(file(claim), spec, FILE_MODE);
        if (own.isEmpty() && Files.exists(own(claim))) {
            files.delete(List.of(own(claim)));
        }
    }

    /**
     * Removes a directory at the path of the spec, which neither a rename nor a deletion of a file would replace. A
     * directory that is not empty is renamed.
     */
    private void makeRoom(ClaimUid claim) throws IOException {
        for (Path place : List.of(file(claim), json(claim), own(claim))) {
            if (Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    Files.deleteIfExists(place);
                } catch (DirectoryNotEmptyException full) {
                    files.move(place, aside(place));
                } catch (IOException e) {
                    throw FileFault.of("delete", place, e, "");
                }
            }
        }
    }

    private static Path aside(Path place) {
        int number = 0;
        Path aside = place;
        while (Files.exists(aside, LinkOption.NOFOLLOW_LINKS)) {
            aside = place.resolveSibling(place.getFileName() + ".aside-" + number);
            number++;
        }
        return aside;
    }

    /** Whether {@link #ensure} would change nothing. */
    public boolean holds(ClaimUid claim, ClaimEdits edits) throws IOException {
        return holds(claim, encode(claim, edits), edits.file().map(CdiDirectory::text));
    }

    private boolean holds(ClaimUid claim, byte[] spec, Optional<byte[]> own) throws IOException {
        return holds(file(claim), Optional.of(spec)) && holds(own(claim), own) && !Files.exists(json(claim));
    }

    /** Whether the file has this content, or is missing if the content is empty. */
    private static boolean holds(Path file, Optional<byte[]> content) throws IOException {
        // Most claims are new, and a test costs less than an exception.
        boolean there = Files.exists(file);
        if (!there || content.isEmpty()) {
            return there == content.isPresent();
        }
        return content(file)
                .filter(found -> Arrays.equals(found, content.get()))
                .isPresent();
    }

    /**
     * The time of the claim's spec, and the names of its CDI devices, each of which begins with the claim's UID,
     * whoever wrote it. A spec of another kind has no devices; a missing spec is empty.
     */
    public Optional<SpecSummary> summary(ClaimUid claim) throws IOException {
        var name = Pattern.compile("(?<![A-Za-z0-9_.:-])" + Pattern.quote(claim + "-") + "[A-Za-z0-9_.:-]*");
        Optional<Instant> written = Optional.empty();
        var devices = new TreeSet<String>();
        for (Path file : List.of(file(claim), json(claim))) {
            Optional<String> text = content(file).map(bytes -> new String(bytes, ISO_8859_1));
            if (text.isPresent()) {
                Instant time = Files.getLastModifiedTime(file).toInstant();
                written = written.filter(time::isBefore).or(() -> Optional.of(time));
                if (text.get().contains(kind.toString())) {
                    name.matcher(text.get()).results().map(MatchResult::group).forEach(devices::add);
                }
            }
        }
        return written.map(time -> new SpecSummary(time, devices));
    }

    /**
     * The content of a file; no bytes if the path is not a regular file, or larger than any spec. Empty if it is
     * missing.
     */
    private static Optional<byte[]> content(Path file) throws IOException {
        try {
            // Opening a FIFO would block until another process writes.
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                return Optional.of(NOTHING);
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] read = in.readNBytes(LARGEST + 1);
                return Optional.of(read.length > LARGEST ? NOTHING : read);
            }
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            if (Files.isSymbolicLink(file)) {
                // For example a symbolic link to itself.
                return Optional.empty();
            }
            throw FileFault.of("read", file, e, "");
        }
    }

    /** A spec's time of modification, and its CDI devices. */
    public record SpecSummary(Instant written, SortedSet<String> devices) {

        public SpecSummary {
            devices = Collections.unmodifiableSortedSet(new TreeSet<>(devices));
        }
    }

    /** The current files of the claim; empty if its spec is missing, malformed, or the public driver's. */
    public Optional<StoredSpec> stored(ClaimUid claim) throws IOException {
        Optional<String> own = stored(own(claim));
        return stored(file(claim)).map(spec -> new StoredSpec(spec, own));
    }

    private static Optional<String> stored(Path file) throws IOException {
        return content(file).filter(bytes -> bytes.length > 0).map(bytes -> new String(bytes, ISO_8859_1));
    }

    /** Restores the files of the claim, durably. */
    public void restore(ClaimUid claim, StoredSpec stored) throws IOException {
        write(claim, stored.spec().getBytes(ISO_8859_1), stored.own().map(own -> own.getBytes(ISO_8859_1)));
    }

    /** A claim's spec and its own file; each character stands for one byte. */
    public record StoredSpec(String spec, Optional<String> own) {}

    private byte[] encode(ClaimUid claim, ClaimEdits edits) {
        List<String> faults = SpecRules.faults(edits);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException("no valid CDI spec: " + String.join("; ", faults));
        }
        Edits shared = edits.shared();
        List<Mount> mounts = Stream.concat(
                        shared.mounts().stream(),
                        edits.file().stream().map(file -> new Mount(own(claim).toString(), file.path())))
                .toList();
        var mounting = new Edits(shared.nodes(), shared.environment(), shared.interfaces(), mounts, shared.hooks());
        return CdiSpecWriter.encode(kind, new ClaimEdits(mounting, edits.devices()));
    }

    private static byte[] text(ClaimFile file) {
        return (String.join("\n", file.lines()) + "\n").getBytes(UTF_8);
    }

    /** Removes the claim's spec, durably. A claim without one is a success. */
    public void remove(ClaimUid claim) throws IOException {
        makeRoom(claim);
        files.delete(List.of(file(claim), json(claim), own(claim)));
    }

    /** The claims that have a spec, whatever its content; none if the directory is missing. */
    public SortedSet<ClaimUid> list() throws IOException {
        var claims = new TreeSet<ClaimUid>();
        for (Path entry : DurableFiles.entries(directory, "")) {
            claimOf(entry, YAML).or(() -> claimOf(entry, JSON)).ifPresent(claims::add);
        }
        return Collections.unmodifiableSortedSet(claims);
    }

    private Optional<ClaimUid> claimOf(Path file, String extension) {
        String name = file.getFileName().toString();
        return name.startsWith(prefix) && name.endsWith(extension)
                ? ClaimUid.parse(name.substring(prefix.length(), name.length() - extension.length()))
                : Optional.empty();
    }

    /**
     * Removes temporary files that a crash in a write left. Called at the start, while no other process writes here.
     */
    public List<Path> sweepTemporaries() throws IOException {
        List<Path> orphans = orphans();
        files.delete(orphans);
        return Stream.concat(files.sweepTemporaries(directory, prefix).stream(), orphans.stream())
                .toList();
    }

    /** Whether {@link #sweepTemporaries} would remove anything. */
    public boolean hasTemporaries() throws IOException {
        return !files.temporaries(directory, prefix).isEmpty() || !orphans().isEmpty();
    }

    /** Claims' own files without the spec that would mount them. */
    private List<Path> orphans() throws IOException {
        return DurableFiles.entries(directory, "").stream()
                .filter(entry -> claimOf(entry, OWN)
                        .filter(claim -> !Files.exists(file(claim)))
                        .isPresent())
                .toList();
    }

    private Path own(ClaimUid claim) {
        return directory.resolve(prefix + claim + OWN);
    }

    private Path json(ClaimUid claim) {
        return directory.resolve(prefix + claim + JSON);
    }
}
