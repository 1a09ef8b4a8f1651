package io.imexagent.agent.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;

/**
 * Prints a log record as one line. For the journal it begins with the priority ({@code <4>}, sd-daemon(3)) and leaves
 * the time to the journal; otherwise it begins with time and level. Line breaks of foreign text become spaces.
 * The stack trace of a defect has lines of its own for people; in the journal it stays on the line of its event.
 */
final class LogLine extends Formatter {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final boolean journal;

    LogLine(boolean journal) {
        this.journal = journal;
    }

    @Override
    public String format(LogRecord record) {
        var line = new StringBuilder(160);
        if (journal) {
            line.append('<').append(priority(record.getLevel())).append('>');
        } else {
            TIME.formatTo(record.getInstant(), line);
            line.append(' ').append(word(record.getLevel())).append(' ');
        }
        line.append(formatMessage(record).replace('\n', ' ').replace('\r', ' '));
        if (record.getThrown() != null) {
            String trace = trace(record.getThrown());
            if (journal) {
                line.append(" trace=\"")
                        .append(trace.lines().map(String::strip).collect(Collectors.joining(" | ")))
                        .append('"');
            } else {
                line.append('\n').append(trace.stripTrailing());
            }
        }
        return line.append('\n').toString();
    }

    private static String trace(Throwable thrown) {
        var text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static int priority(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return 3;
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return 4;
        }
        return level.intValue() >= Level.INFO.intValue() ? 6 : 7;
    }

    private static String word(Level level) {
        return switch (priority(level)) {
            case 3 -> "ERROR";
            case 4 -> "WARN ";
            case 6 -> "INFO ";
            default -> "DEBUG";
        };
    }
}
