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
 * The journal of this host, by its native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): an entry is one
 * datagram of fields. The journal itself adds the sender, including the login user behind sudo
 * (systemd.journal-fields(7)).
 */
public final class Journal {

    static final String SOCKET = "/run/systemd/journal/socket";

    /** The field names that a client may use; names that begin with an underscore are the journal's own. */
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

    /** {@code EAGAIN}: the queue of the journal is full, since it hangs or is overloaded. */
    private static final int EAGAIN = 11;

    private final NotifySocket socket;

    public Journal() {
        this(SOCKET);
    }

    /** The journal behind a socket at this path, for tests. */
    public Journal(String socket) {
        this.socket = NotifySocket.parse(socket);
    }

    /** The result of sending an entry. */
    public sealed interface SendResult {

        record EntrySent() implements SendResult {}

        /** The journal is overloaded; it may accept the next entry. */
        record JournalBusy() implements SendResult {}

        /** The journal is missing or cannot be reached; the reason is one line. */
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

    /**
     * Encodes fields for the protocol. A value of several lines is preceded by its length, so that it cannot forge
     * another field.
     */
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
     * Sends a line at level {@code notice}; control characters become spaces. Returns whether the journal accepted it.
     */
    public boolean notice(String identifier, String line) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("PRIORITY", "5");
        fields.put("SYSLOG_IDENTIFIER", identifier);
        fields.put("MESSAGE", line.replaceAll("\\p{Cntrl}", " "));
        return send(fields) instanceof SendResult.EntrySent;
    }

    /**
     * Whether the journal reads the standard error of this process. {@code JOURNAL_STREAM} holds device and inode of
     * the journal's stream (systemd.exec(5)). They are compared, since a child inherits the variable even if its output
     * goes elsewhere.
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
