package io.imexagent.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A failed operation on a file with its remedy: {@code cannot write x: No space left on device; free space there}. */
public final class FileFault extends IOException {

    private static final long serialVersionUID = 1L;

    /** The remedies by texts of the C library, which services get in the C locale; {@code %s} is the directory. */
    private static final List<Map.Entry<String, String>> REMEDIES = List.of(
            Map.entry("no space left", "free space there"),
            Map.entry("quota exceeded", "raise the quota or free space there"),
            Map.entry("read-only file system", "remount it writable"),
            Map.entry("permission denied", "check owner, mode and security label of %s"),
            Map.entry("operation not permitted", "check owner, mode and security label of %s"),
            Map.entry("too many open files", "raise LimitNOFILE of the service"),
            Map.entry("input/output error", "check the disk (journalctl -k)"),
            Map.entry("no such file", "make sure that the directory %s exists"),
            Map.entry("not a directory", "make sure that the directory %s exists"));

    private final transient Path path;

    private FileFault(String message, Path path, IOException cause) {
        super(message, cause);
        this.path = path;
    }

    /**
     * The fault for a system error in an attempt to {@code write}; a cause that is a fault already is returned
     * unchanged. The consequence is the effect on the caller, {@code the claim is retried}, or empty.
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

    public Path path() {
        return path;
    }

    /** The system's text for an error, without the path. */
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

    private static String remedy(String reason, Path path) {
        String text = reason.toLowerCase(Locale.ROOT);
        String remedy = REMEDIES.stream()
                .filter(fault -> text.contains(fault.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("check %s");
        Path directory = Optional.ofNullable(path.toAbsolutePath().getParent()).orElse(path);
        return remedy.replace("%s", directory.toString());
    }
}
