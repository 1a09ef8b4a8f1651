package io.imexagent.systemd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The journal of this host, by its native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): an entry is one datagram
 * of fields. The journal itself adds who sent it, the login of a sudo included (systemd.journal-fields(7)).
 */
public final class Journal {

    static final String SOCKET = "/run/systemd/journal/socket";

    /** Names that a client may give; those that begin with an underscore are the journal's own. */
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

    /** The queue of the journal is full: it hangs, or has more to do than it manages. */
    private static final int EAGAIN = 11;

    private final NotifySocket socket;

    public Journal() {
        this(SOCKET);
    }

    /** One behind a socket at this path, for tests. */
    public Journal(String socket) {
        this.socket = NotifySocket.parse(socket);
    }

    /** What became of an entry. */
    public sealed interface SendResult {

        record EntrySent() implements SendResult {}

        /** The journal does not keep up; it may take the next one. */
        record JournalBusy() implements SendResult {}

        /** The journal is not there, or may not be reached; the reason is one line. */
        record EntryRefused(String reason) implements SendResult {}
    }

    /**
     * Sends one entry, and never waits. An entry has to fit into a datagram, of some 200 KB by the kernel's default: the
     * protocol's other way, a file descriptor, is not used. Throws {@link IllegalArgumentException} for a name that no
     * field can have.
     */
    public SendResult send(Map<String, String> fields) {
        byte[] entry = encoded(fields);
        try {
            int error = socket.send(entry);
            return switch (error) {
                case 0 -> new SendResult.EntrySent();
                case EAGAIN -> new SendResult.JournalBusy();
                default -> new SendResult.EntryRefused(socket.text() + ": " + NotifySocket.reason(error));
            };
        } catch (LinkageError noNativeCalls) {
            return new SendResult.EntryRefused("native calls are not possible: " + noNativeCalls.getMessage());
        }
    }

    /** Fields in the protocol's form: a value of several lines goes with its length, so that it cannot be two fields. */
    private static byte[] encoded(Map<String, String> fields) {
        var entry = new ByteArrayOutputStream(512);
        fields.forEach((name, value) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("no name of a field of the journal: " + name);
            }
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            entry.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            if (value.indexOf('\n') < 0) {
                entry.write('=');
            } else {
                entry.write('\n');
                entry.writeBytes(ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(bytes.length)
                        .array());
            }
            entry.writeBytes(bytes);
            entry.write('\n');
        });
        return entry.toByteArray();
    }

    /**
     * Leaves a line of a program, at the level of what is normal and worth to be noticed; control characters become
     * spaces. Returns whether the journal took it.
     */
    public boolean notice(String identifier, String line) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("PRIORITY", "5");
        fields.put("SYSLOG_IDENTIFIER", identifier);
        fields.put("MESSAGE", line.replaceAll("\\p{Cntrl}", " "));
        return send(fields) instanceof SendResult.EntrySent;
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
