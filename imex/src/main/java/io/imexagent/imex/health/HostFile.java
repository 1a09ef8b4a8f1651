package io.imexagent.imex.health;

import io.imexagent.files.FileFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;

/** A file of nvidia-imex as found by one reading; the path is the host's. */
public sealed interface HostFile {

    /** The size of the largest file that is read, in bytes; files of nvidia-imex have some kilobytes. */
    int LARGEST = 1 << 20;

    /** The number of symbolic links that are followed, as by the kernel. */
    int MOST_LINKS = 40;

    String path();

    /** The text, one character per byte, and the last write of the file, or of a link on the path to it. */
    record ReadFile(String path, String content, Instant changed) implements HostFile {}

    record MissingFile(String path) implements HostFile {}

    /** The file cannot be read; the reason is a clause. */
    record UnreadableFile(String path, String reason) implements HostFile {}

    /** Reads a file of the host whose root is {@code root}; absolute symbolic links are resolved below that root. */
    static HostFile read(Path root, String path) {
        try {
            ResolvedFile found = find(root, path);
            // A pipe would block, and a device may never end.
            if (!Files.isRegularFile(found.file())) {
                return new UnreadableFile(path, "it is no regular file");
            }
            try (InputStream bytes = Files.newInputStream(found.file())) {
                byte[] content = bytes.readNBytes(LARGEST + 1);
                return content.length > LARGEST
                        ? new UnreadableFile(path, "it is larger than " + LARGEST + " bytes")
                        : new ReadFile(path, new String(content, StandardCharsets.ISO_8859_1), found.changed());
            }
        } catch (NoSuchFileException missing) {
            return new MissingFile(path);
        } catch (IOException failure) {
            return new UnreadableFile(path, PrintedState.line(FileFault.reason(failure)));
        }
    }

    default Optional<String> text() {
        return this instanceof ReadFile read ? Optional.of(read.content()) : Optional.empty();
    }

    /** The file at the end of a path, and the latest time at which the file or a link on the path was written. */
    record ResolvedFile(Path file, Instant changed) {}

    /** Follows the links of a path one by one: a link may be replaced with one to an older file, as in volumes. */
    private static ResolvedFile find(Path root, String path) throws IOException {
        var names = new ArrayDeque<String>();
        Path.of("/", path).forEach(name -> names.addLast(name.toString()));
        Path at = root;
        Instant changed = Instant.MIN;
        int links = 0;
        while (!names.isEmpty()) {
            String name = names.removeFirst();
            if (name.equals("..")) {
                at = at.equals(root) ? root : Objects.requireNonNullElse(at.getParent(), root);
                continue;
            }
            Path next = name.equals(".") ? at : at.resolve(name);
            if (!Files.isSymbolicLink(next)) {
                at = next;
                continue;
            }
            if (++links > MOST_LINKS) {
                throw new IOException("too many levels of symbolic links");
            }
            changed = later(
                    changed,
                    Files.getLastModifiedTime(next, LinkOption.NOFOLLOW_LINKS).toInstant());
            Path target = Files.readSymbolicLink(next);
            at = target.isAbsolute() ? root : at;
            for (int part = target.getNameCount() - 1; part >= 0; part--) {
                names.addFirst(target.getName(part).toString());
            }
        }
        return new ResolvedFile(at, later(changed, Files.getLastModifiedTime(at).toInstant()));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
