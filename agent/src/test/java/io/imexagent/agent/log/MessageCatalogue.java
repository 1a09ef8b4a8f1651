package io.imexagent.agent.log;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What the journal's catalogue and the page on logs have of the known messages. */
final class MessageCatalogue {

    private static final int WIDTH = 76;

    private MessageCatalogue() {}

    /** The file that {@code journalctl --update-catalog} reads (https://www.freedesktop.org/wiki/Software/systemd/catalog/). */
    static String text() {
        return "# Made from the code; write it anew with: make docs\n"
                + Arrays.stream(KnownMessage.values())
                        .map(message -> "\n-- " + message.id + "\nSubject: " + message.subject
                                + "\nDefined-By: imex-agent\nDocumentation: man:imex-agent(1)\n\n"
                                + folded(message.text) + "\n")
                        .collect(Collectors.joining());
    }

    /** The rows of the table in docs/logs.md. */
    static String table() {
        return "| message | what has happened | `MESSAGE_ID` |\n|---|---|---|\n"
                + Arrays.stream(KnownMessage.values())
                        .map(message ->
                                "| `" + message.words + "` | " + message.subject + " | `" + message.id + "` |\n")
                        .collect(Collectors.joining());
    }

    private static String folded(String text) {
        var lines = new StringBuilder();
        int length = 0;
        for (String word : text.split(" ", -1)) {
            if (length > 0) {
                boolean fits = length + 1 + word.length() <= WIDTH;
                lines.append(fits ? ' ' : '\n');
                length = fits ? length + 1 : 0;
            }
            lines.append(word);
            length += word.length();
        }
        return lines.toString();
    }
}
