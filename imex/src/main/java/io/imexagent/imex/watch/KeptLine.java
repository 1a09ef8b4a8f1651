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
import org.slf4j.Logger;

/**
 * One line in a file of the state directory, which persists across restarts of the process and reboots; the file is
 * absent while there is nothing to record.
 */
final class KeptLine {

    /** The value of a line that was not read; no record has this text. */
    static final String UNREAD = "?";

    /** The number of bytes of the file that are read at most. */
    private static final int LONGEST = 4096;

    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path directory;
    private final Path file;
    private final String what;
    private final DurableFiles files;
    private Optional<String> line = Optional.of(UNREAD);

    /**
     * Creates access to the file of this name; {@code what} describes its content in messages, and {@code consequence}
     * the effect of a failed write.
     */
    KeptLine(Path directory, String name, String what, String consequence) {
        this.directory = directory;
        this.file = directory.resolve(name);
        this.what = what;
        this.files = new DurableFiles(FileSteps.ALL_PASS, consequence);
    }

    /** The last known line; {@link #UNREAD} before it was read or written. */
    Optional<String> line() {
        return line;
    }

    /** Reads the line and strips it; empty if there is no file. */
    Optional<String> read() throws IOException {
        try (var bytes = Files.newInputStream(file)) {
            line = Optional.of(new String(bytes.readNBytes(LONGEST), StandardCharsets.UTF_8).strip());
        } catch (NoSuchFileException none) {
            line = Optional.empty();
        }
        return line;
    }

    /**
     * Replaces the line durably; empty removes the file. The first write creates the directory. Each change is tried
     * once, so that a full disk delays nothing; a failure is logged.
     */
    void keep(Optional<String> wanted, Logger log) {
        if (wanted.equals(line)) {
            return;
        }
        line = wanted;
        try {
            if (wanted.isPresent()) {
                files.createDirectory(directory);
                files.replace(file, (wanted.get() + "\n").getBytes(StandardCharsets.UTF_8), FILE_MODE);
            } else {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            log.warn("{} is not recorded reason=\"{}\"", what, failure.getMessage());
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
