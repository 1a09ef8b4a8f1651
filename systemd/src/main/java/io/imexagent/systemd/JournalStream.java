package io.imexagent.systemd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a stream of this process goes to the journal. The variable {@code JOURNAL_STREAM} alone does not say so: a
 * child inherits it, and its output may go elsewhere. It holds device and inode of the stream that is meant
 * (systemd.exec(5)).
 */
public final class JournalStream {

    /** The variable in which systemd names the stream. */
    public static final String VARIABLE = "JOURNAL_STREAM";

    private JournalStream() {}

    /** Whether standard error of this process is read by the journal. */
    public static boolean onStandardError(Map<String, String> environment) {
        return on(Path.of("/proc/self/fd/2"), environment);
    }

    /** Whether the stream at this path is the one that the variable names. */
    static boolean on(Path stream, Map<String, String> environment) {
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(named -> identity(stream).filter(named::equals).isPresent())
                .isPresent();
    }

    private static Optional<String> identity(Path stream) {
        try {
            Map<String, Object> status = Files.readAttributes(stream, "unix:dev,ino");
            return Optional.of(status.get("dev") + ":" + status.get("ino"));
        } catch (IOException | UnsupportedOperationException cannotTell) {
            return Optional.empty();
        }
    }
}
