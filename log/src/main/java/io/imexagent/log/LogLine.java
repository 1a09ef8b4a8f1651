package io.imexagent.log;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;

/**
 * Prints a log record as one line. For the journal it begins with the priority ({@code <4>}, sd-daemon(3)) and leaves
 * the time to the journal; otherwise it begins with time and level. The stack trace of a defect has lines of its own for
 * people; in the journal it stays on the line of its event.
 */
final class LogLine extends Formatter {

    /** The format of times, RFC 3339 in UTC. */
    static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final int LEVEL_WIDTH = 5;

    private final boolean journal;

    LogLine(boolean journal) {
        this.journal = journal;
    }

    @Override
    public String format(LogRecord record) {
        var line = new StringBuilder(160);
        LogText text = LogText.of(record, this);
        if (journal) {
            line.append('<').append(LogText.priority(record.getLevel())).append('>');
        } else {
            TIME.formatTo(record.getInstant(), line);
            String level = LogText.word(record.getLevel());
            line.append(' ').append(level).repeat(' ', LEVEL_WIDTH + 1 - level.length());
        }
        line.append(text.line());
        text.trace().ifPresent(trace -> {
            if (journal) {
                line.append(" trace=\"")
                        .append(trace.lines().map(String::strip).collect(Collectors.joining(" | ")))
                        .append('"');
            } else {
                line.append('\n').append(trace);
            }
        });
        return line.append('\n').toString();
    }
}
