package io.imexagent.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A file that could not be written, read or deleted: its message names the path, the system's reason and the remedy,
 * {@code cannot write /var/run/cdi/…: No space left on device; free space there, the claim is retried}.
 */
public final class FileFault extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient Path path;

    private FileFault(String message, Path path, IOException cause) {
        super(message, cause);
        this.path = path;
    }

    /**
     * The fault that the system met; one of this kind is handed through as it is.
     *
     * @param verb what could not be done, {@code write}
     * @param consequence what follows for whoever waits, {@code the claim is retried}; empty for nothing worth saying
     */
    public static FileFault of(String verb, Path path, IOException cause, String consequence) {
        if (cause instanceof FileFault fault) {
            return fault;
        }
        String reason = reason(cause);
        String message = "cannot " + verb + " " + path + ": " + reason + "; " + remedy(reason, path)
                + (consequence.isEmpty() ? "" : ", " + consequence);
        return new FileFault(message, path, cause);
    }

    /** The file or directory that is at fault. */
    public Path path() {
        return path;
    }

    /** What the system met, in its own words, without the path. */
    public static String reason(IOException cause) {
        return switch (cause) {
            case AccessDeniedException denied -> "Permission denied";
            case NoSuchFileException missing -> "No such file or directory";
            case FileSystemException fault when fault.getReason() != null -> fault.getReason();
            default ->
                cause.getMessage() == null || cause.getMessage().isBlank()
                        ? cause.getClass().getSimpleName()
                        : cause.getMessage();
        };
    }

    /** The remedies go by the texts of the C library, which services see in the C locale. */
    private static String remedy(String reason, Path path) {
        String text = reason.toLowerCase(Locale.ROOT);
        if (text.contains("no space left")) {
            return "free space there";
        }
        if (text.contains("quota exceeded")) {
            return "raise the quota or free space there";
        }
        if (text.contains("read-only file system")) {
            return "remount it writable";
        }
        if (text.contains("permission denied") || text.contains("operation not permitted")) {
            return "check owner, mode and security label of " + directory(path);
        }
        if (text.contains("too many open files")) {
            return "raise LimitNOFILE of the service";
        }
        if (text.contains("input/output error")) {
            return "check the disk (journalctl -k)";
        }
        if (text.contains("no such file") || text.contains("not a directory")) {
            return "make sure that the directory " + directory(path) + " exists";
        }
        return "check " + directory(path);
    }

    private static Path directory(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        return parent == null ? path : parent;
    }
}
