package io.imexagent.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Replaces and deletes files so that a crash at any point leaves the old or the new content, whole, and that an effect
 * persists once it is reported. Failures are {@link FileFault}s.
 *
 * <p>A file is replaced by these steps: temporary sibling, write, fdatasync, rename, fsync of the directory. The
 * temporary file is named {@code .<name>.<number>.tmp}, so that scans of the directory skip it; {@link
 * #sweepTemporaries} removes those that a crash left. Of two writers the later one wins, as long as no process sweeps
 * at the same time: the caller must lock between processes.
 *
 * @param steps receive every step
 * @param consequence the end of a fault's message; may be empty
 */
public record DurableFiles(FileSteps steps, String consequence) {

    private static final String TEMPORARY = ".tmp";
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final int MOST_TEMPORARIES = 1000;

    /**
     * Replaces the file, in an existing directory, with this content and with this mode whatever the umask is; a
     * symbolic link is replaced, not followed. After an exception the file has the old content, or the new one if the
     * flush of the directory failed; never a part of either.
     */
    public void replace(Path target, byte[] content, Set<PosixFilePermission> permissions) throws IOException {
        place(target, content, permissions, true);
        try {
            flush(directoryOf(target));
        } catch (IOException e) {
            throw FileFault.of("write", target, e, consequence);
        }
    }

    /**
     * Replaces the file as {@link #replace} does, and writes a copy in the same directory without a further flush, so
     * that one of the two has the content if the other is damaged. The copy is written first and not flushed, so that a
     * crash of the host can damage it, while the target stays whole. After an exception the copy may be newer than the
     * target.
     */
    public void replaceWithCopy(Path target, Path copy, byte[] content, Set<PosixFilePermission> permissions)
            throws IOException {
        place(copy, content, permissions, false);
        replace(target, content, permissions);
    }

    private void place(Path target, byte[] content, Set<PosixFilePermission> permissions, boolean flushed)
            throws IOException {
        try {
            Opened opened = create(target);
            try {
                fill(opened, content, permissions, flushed);
                rename(opened.file(), target);
            } catch (IOException e) {
                discard(opened.file(), e);
                throw e;
            }
        } catch (IOException e) {
            throw FileFault.of("write", target, e, consequence);
        }
    }

    /** Creates a temporary file with the first free number, so that two writers never share one. */
    private Opened create(Path target) throws IOException {
        int number = 0;
        while (true) {
            Path temporary = temporary(target, number);
            try {
                steps.before(FileStep.CREATE_TEMPORARY, temporary);
                return new Opened(
                        temporary,
                        FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
            } catch (FileAlreadyExistsException taken) {
                number++;
                if (number == MOST_TEMPORARIES) {
                    throw new IOException(MOST_TEMPORARIES + " temporary files of it are left over", taken);
                }
            }
        }
    }

    private void fill(Opened opened, byte[] content, Set<PosixFilePermission> permissions, boolean flushed)
            throws IOException {
        Path temporary = opened.file();
        try (FileChannel channel = opened.channel()) {
            Files.setPosixFilePermissions(temporary, permissions);
            steps.before(FileStep.WRITE, temporary);
            var buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            if (flushed) {
                steps.before(FileStep.FLUSH, temporary);
                channel.force(false);
            }
        }
    }

    private static void discard(Path temporary, IOException cause) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Renames the file within its directory, durably, and replaces a file with the new name. */
    public void move(Path from, Path to) throws IOException {
        try {
            rename(from, to);
            flush(directoryOf(to));
        } catch (IOException e) {
            throw FileFault.of("rename", from, e, consequence);
        }
    }

    /**
     * Deletes files of one directory, durably, with one flush. The flush happens even if no file existed, since an
     * earlier deletion may have ended in a crash. A missing directory is a success.
     */
    public void delete(List<Path> targets) throws IOException {
        for (Path target : targets) {
            unlink(target);
        }
        if (!targets.isEmpty()) {
            Path directory = directoryOf(targets.getFirst());
            try {
                flush(directory);
            } catch (NoSuchFileException absent) {
                // Without the directory no file is left to delete.
            } catch (IOException e) {
                throw FileFault.of("delete from", directory, e, consequence);
            }
        }
    }

    private void unlink(Path target) throws IOException {
        try {
            steps.before(FileStep.DELETE, target);
            Files.deleteIfExists(target);
        } catch (IOException e) {
            throw FileFault.of("delete", target, e, consequence);
        }
    }

    /** Creates the directory and its parents, durably, as {@code rwxr-x---}, the mode of the kubelet's own ones. */
    public void createDirectory(Path directory) throws IOException {
        createDirectory(directory, DIRECTORY_MODE);
    }

    /** Creates the directory and its missing parents, durably, with this mode whatever the umask is. */
    public void createDirectory(Path directory, Set<PosixFilePermission> permissions) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path above = directory.toAbsolutePath().getParent();
        if (above != null) {
            createDirectory(above, permissions);
        }
        try {
            steps.before(FileStep.CREATE_DIRECTORY, directory);
            Files.createDirectory(directory);
            Files.setPosixFilePermissions(directory, permissions);
            flush(directoryOf(directory));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw FileFault.of("create", directory, new NotDirectoryException("Not a directory"), consequence);
            }
        } catch (IOException e) {
            throw FileFault.of("create", directory, e, consequence);
        }
    }

    /** Removes and returns temporary files that a crash left for names with this prefix. Callers keep others out. */
    public List<Path> sweepTemporaries(Path directory, String namePrefix) throws IOException {
        List<Path> left = temporaries(directory, namePrefix);
        for (Path temporary : left) {
            unlink(temporary);
        }
        return left;
    }

    /** The files that {@link #sweepTemporaries} would remove. */
    public List<Path> temporaries(Path directory, String namePrefix) throws IOException {
        String hidden = "." + namePrefix;
        return entries(directory, consequence).stream()
                .filter(entry -> entry.getFileName().toString().startsWith(hidden))
                .filter(entry -> entry.getFileName().toString().endsWith(TEMPORARY))
                .toList();
    }

    /** The entries of the directory, in no order; empty if it is missing. {@code consequence} is that of a fault. */
    public static List<Path> entries(Path directory, String consequence) throws IOException {
        var found = new ArrayList<Path>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(found::add);
        } catch (NoSuchFileException absent) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw FileFault.of("list", directory, new IOException(e.getMessage(), e), consequence);
        } catch (IOException e) {
            throw FileFault.of("list", directory, e, consequence);
        }
        return List.copyOf(found);
    }

    private void rename(Path from, Path to) throws IOException {
        steps.before(FileStep.RENAME, to);
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Flushes a directory; Linux does so through a channel that was opened for reading. */
    private void flush(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            steps.before(FileStep.FLUSH_DIRECTORY, directory);
            channel.force(true);
        }
    }

    private record Opened(Path file, FileChannel channel) {}

    private static Path temporary(Path target, int number) {
        return target.resolveSibling("." + target.getFileName() + "." + number + TEMPORARY);
    }

    private static Path directoryOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException(file + " is in no directory");
        }
        return parent;
    }
}
