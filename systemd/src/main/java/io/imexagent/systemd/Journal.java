package io.imexagent.systemd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The journal of this host, for a line of a process whose output it does not read. The journal itself adds to it who sent
 * it, the login of a sudo included (systemd.journal-fields(7)).
 */
public final class Journal {

    static final String SOCKET = "/run/systemd/journal/socket";

    private final NotifySocket socket;

    /** The journal behind its socket. */
    public Journal() {
        this(SOCKET);
    }

    Journal(String socket) {
        this.socket = NotifySocket.parse(socket);
    }

    /**
     * Leaves a line of a program, at the level of what is normal and worth to be noticed; control characters become
     * spaces. Returns whether the journal took it.
     */
    public boolean notice(String identifier, String line) {
        String message = line.replaceAll("\\p{Cntrl}", " ");
        try {
            return socket.send("PRIORITY=5\nSYSLOG_IDENTIFIER=" + identifier + "\nMESSAGE=" + message + "\n");
        } catch (LinkageError noNativeCalls) {
            return false;
        }
    }

    /**
     * Whether standard error of this process is read by the journal. The variable {@code JOURNAL_STREAM} alone does not say
     * so: a child inherits it, and its output may go elsewhere. It holds device and inode of the stream that is meant
     * (systemd.exec(5)).
     */
    public static boolean readsStandardError(Map<String, String> environment) {
        return reads(Path.of("/proc/self/fd/2"), environment);
    }

    static boolean reads(Path stream, Map<String, String> environment) {
        try {
            Map<String, Object> status = Files.readAttributes(stream, "unix:dev,ino");
            return (status.get("dev") + ":" + status.get("ino")).equals(environment.get("JOURNAL_STREAM"));
        } catch (IOException | UnsupportedOperationException cannotTell) {
            return false;
        }
    }
}
