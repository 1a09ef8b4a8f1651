package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A {@code v1 Status}; its parts are empty if the response is not a Status. {@code aboutObject} is whether it refers to
 * an object. The message is shortened to a line for people; the denial is read from the whole message.
 */
record StatusText(
        int code,
        String message,
        boolean aboutObject,
        Optional<Duration> retryAfter,
        Denial denial,
        Optional<Denial> byAdmission) {

    private static final int LONGEST = 400;
    private static final int LONGEST_MESSAGE = 64 << 10;
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\s]+");
    /** In bytes; an invalid object may have a cause for each of its fields. */
    private static final int ROOM = 2 << 20;

    private static final StatusText NONE =
            new StatusText(0, "", false, Optional.empty(), new Denial.OtherDenial(true), Optional.empty());

    static final FieldSelection WANTED = FieldSelection.of(
                    "kind",
                    "code",
                    "message",
                    "details.kind",
                    "details.name",
                    "details.retryAfterSeconds",
                    "details.causes[].reason")
            .longest(LONGEST_MESSAGE, "message")
            .room(ROOM);

    /** Reads the status in a response's body. Any other body, such as a proxy's page, is not quoted. */
    static StatusText read(JsonScanner body) throws IOException {
        try {
            return of(WANTED.read(body));
        } catch (UnreadableException e) {
            // Not a Status: the HTTP code has to suffice.
            return NONE;
        }
    }

    /** Reads the status from an object's fields; any other object gives an empty status. */
    static StatusText of(FieldValues fields) {
        if (!fields.text("kind").equals("Status")) {
            return NONE;
        }
        int seconds = fields.whole("details.retryAfterSeconds", 0);
        String line = line(fields.text("message"));
        List<String> causes = fields.each("details.causes").stream()
                .map(cause -> cause.text("reason"))
                .toList();
        return new StatusText(
                fields.whole("code", 0),
                line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…",
                fields.has("details.kind") || fields.has("details.name"),
                seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                Denial.of(line, causes),
                Denial.byAdmission(line));
    }

    /** The message as a clause for another sentence; empty if there is no message. */
    String quoted() {
        return message.isEmpty() ? "" : " (server: " + message + ")";
    }

    private static String line(String text) {
        return CONTROL.matcher(text).replaceAll(" ").strip();
    }
}
