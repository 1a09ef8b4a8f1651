package io.imexagent.kubernetes.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the server says in a {@code v1 Status}; all empty where its answer is none. The message is on one line and bounded;
 * {@code aboutObject} says whether it speaks of an object or its resource, and not of the path.
 */
record StatusText(int code, String message, boolean aboutObject, Optional<Duration> retryAfter) {

    private static final int LONGEST = 400;
    private static final int LONGEST_MESSAGE = 64 << 10;
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\s]+");
    private static final Pattern DENIED = Pattern.compile("User \"([^\"]+)\" cannot ([a-z]+) ");

    private static final StatusText NONE = new StatusText(0, "", false, Optional.empty());

    static final WantedFields WANTED = WantedFields.of(
                    "kind", "code", "message", "details.kind", "details.name", "details.retryAfterSeconds")
            .longest(LONGEST_MESSAGE, "message");

    /** The status in a response's body; a body that is none, such as a proxy's page, is not quoted. */
    static StatusText read(JsonScanner body) throws IOException {
        try {
            return of(WANTED.read(body));
        } catch (UnreadableException e) {
            // Not a Status: the HTTP code says what there is to say.
            return NONE;
        }
    }

    /** The status that an object is; one that is none says nothing. */
    static StatusText of(Fields fields) {
        int seconds = fields.whole("details.retryAfterSeconds", 0);
        return fields.text("kind").equals("Status")
                ? new StatusText(
                        fields.whole("code", 0),
                        bounded(fields.text("message")),
                        fields.has("details.kind") || fields.has("details.name"),
                        seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty())
                : NONE;
    }

    Optional<String> deniedUser() {
        Matcher denied = DENIED.matcher(message);
        return denied.find() ? Optional.of(denied.group(1)) : Optional.empty();
    }

    /** The sentence as a clause of another one; empty where there is none. */
    String quoted() {
        return message.isEmpty() ? "" : " (server: " + message + ")";
    }

    private static String bounded(String text) {
        String line = CONTROL.matcher(text).replaceAll(" ").strip();
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}
