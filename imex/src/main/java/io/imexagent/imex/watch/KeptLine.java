package io.imexagent.imex.watch;

import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** One line in a file of the state directory, which outlives the process and the boot; absent while there is nothing. */
final class KeptLine {

    /** What is read of the file at most, in bytes. */
    private static final int LONGEST = 4096;

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path directory;
    private final Path file;
    private final DurableFiles files;

    /** A line in the file of this name; the consequence says what it means that it cannot be written. */
    KeptLine(Path directory, String name, String consequence) {
        this.directory = directory;
        this.file = directory.resolve(name);
        this.files = new DurableFiles(FileSteps.ALL_PASS, consequence);
    }

    /** The line without space around it; empty where there is no file. */
    Optional<String> read() throws IOException {
        try (var bytes = Files.newInputStream(file)) {
            return Optional.of(new String(bytes.readNBytes(LONGEST), StandardCharsets.UTF_8).strip());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Replaces the line durably; empty removes the file. The first write makes the directory. */
    void write(Optional<String> line) throws IOException {
        if (line.isPresent()) {
            files.createDirectory(directory, DIRECTORY_MODE);
            files.replace(file, (line.get() + "\n").getBytes(StandardCharsets.UTF_8), FILE_MODE);
        } else {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
