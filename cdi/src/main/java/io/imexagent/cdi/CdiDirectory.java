package io.imexagent.cdi;

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
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The CDI specs of claims in one directory, normally {@code /var/run/cdi}: a file {@code <vendor>-<class>_<claim
 * UID>.yaml} for each, which runtimes see whole or not at all. A claim's own file stands beside it as {@code .conf},
 * which runtimes pass over: there before the spec that mounts it, and gone after it.
 *
 * <p>The public driver's {@code .json} files count as specs, and go when the claim's spec is written or removed: a
 * device in two files is disabled in both. Other files are never touched. What fails is an {@link IOException} that
 * names path, reason and remedy. Not for several threads at a time.
 */
public final class CdiDirectory {

    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final String YAML = ".yaml";
    private static final String JSON = ".json";
    private static final String OWN = ".conf";

    private final Path directory;
    private final CdiKind kind;
    private final String prefix;
    private final DurableFiles files;

    /** The specs of this kind in the directory, which need not exist yet. */
    public CdiDirectory(Path directory, CdiKind kind) {
        this(directory, kind, FileSteps.ALL_PASS);
    }

    /** As above; the steps are told of everything that is done to files. */
    public CdiDirectory(Path directory, CdiKind kind, FileSteps steps) {
        this.directory = directory;
        this.kind = kind;
        this.prefix = kind.vendor() + "-" + kind.className() + "_";
        this.files = new DurableFiles(steps, "the claim is retried");
    }

    /** The file of the claim's spec. */
    public Path file(ClaimUid claim) {
        return directory.resolve(prefix + claim + YAML);
    }

    /**
     * Makes the claim's spec one that does this and nothing else, durably; returns whether anything had to be written.
     * Edits that break a rule of CDI are an {@link IllegalArgumentException}: runtimes would refuse the spec.
     */
    public boolean ensure(ClaimUid claim, ClaimEdits edits) throws IOException {
        byte[] spec = encode(claim, edits);
        Optional<byte[]> own = edits.file().map(CdiDirectory::text);
        if (holds(claim, spec, own)) {
            return false;
        }
        files.createDirectory(directory, DIRECTORY_MODE);
        if (Files.exists(json(claim))) {
            files.delete(List.of(json(claim)));
        }
        if (own.isPresent()) {
            files.replace(own(claim), own.get(), FILE_MODE);
        }
        files.replace(file(claim), spec, FILE_MODE);
        if (own.isEmpty() && Files.exists(own(claim))) {
            files.delete(List.of(own(claim)));
        }
        return true;
    }

    /** Whether {@link #ensure} would change nothing. */
    public boolean holds(ClaimUid claim, ClaimEdits edits) throws IOException {
        return holds(claim, encode(claim, edits), edits.file().map(CdiDirectory::text));
    }

    private boolean holds(ClaimUid claim, byte[] spec, Optional<byte[]> own) throws IOException {
        return holds(file(claim), Optional.of(spec)) && holds(own(claim), own) && !Files.exists(json(claim));
    }

    /** Whether the file has this content; where there is to be none, whether it is missing. */
    private static boolean holds(Path file, Optional<byte[]> content) throws IOException {
        // Most claims are new; an exception for that would cost more than the look.
        boolean there = Files.exists(file);
        if (!there || content.isEmpty()) {
            return there == content.isPresent();
        }
        try {
            return Arrays.equals(Files.readAllBytes(file), content.get());
        } catch (NoSuchFileException absent) {
            return false;
        } catch (IOException e) {
            throw FileFault.of("read", file, e, "");
        }
    }

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
        return CdiYaml.encode(kind, new ClaimEdits(mounting, edits.devices()));
    }

    private static byte[] text(ClaimFile file) {
        return (String.join("\n", file.lines()) + "\n").getBytes(UTF_8);
    }

    /** Removes the claim's spec, durably. A claim without one is a success. */
    public void remove(ClaimUid claim) throws IOException {
        files.delete(List.of(file(claim), json(claim), own(claim)));
    }

    /** The claims that have a spec, whatever stands in it; none where the directory is missing. */
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

    /** Removes what a crash in the middle of a write left, at start, while this process alone writes here. */
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
