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
import java.util.regex.Pattern;

/**
 * The record of a taint that stands: the file {@code imex-taint} in the agent's state directory, one line with the
 * taint's value. There is no file while nothing is tainted. The slices would tell the same, but the kubelet takes them
 * away 30 s after the agent has gone.
 */
final class TaintRecord {

    private static final int LONGEST = 256;
    /** A code of a verdict; a label's value (at most 63 characters) in any case. */
    private static final Pattern VALUE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path directory;
    private final Path file;
    private final DurableFiles files = new DurableFiles(FileSteps.ALL_PASS, "a restart may drop the taint for a while");

    /** The record in this directory, which is made by the first write where it is missing. */
    TaintRecord(Path stateDirectory) {
        this.directory = stateDirectory;
        this.file = stateDirectory.resolve("imex-taint");
    }

    /**
     * The value of the taint that stood last; empty where none did.
     *
     * @throws IOException where the file cannot be read, or says what was never written; the message names it
     */
    Optional<String> read() throws IOException {
        try (var bytes = Files.newInputStream(file)) {
            String text = new String(bytes.readNBytes(LONGEST), StandardCharsets.US_ASCII).strip();
            if (!VALUE.matcher(text).matches()) {
                throw new IOException(file + " is not understood: it holds no taint's value; it is written anew");
            }
            return Optional.of(text);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Records a taint, durably. */
    void write(String value) throws IOException {
        files.createDirectory(directory, DIRECTORY_MODE);
        files.replace(file, (value + "\n").getBytes(StandardCharsets.US_ASCII), FILE_MODE);
    }

    /** Records that there is none. */
    void remove() throws IOException {
        Files.deleteIfExists(file);
    }
}
