package io.imexagent.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/** The text of a log record, the same in every format: one line, with its stack trace separate. */
record LogText(String line, Optional<String> trace) {

    /** The most characters of a line, and of a trace: with its fields an entry stays below a datagram's 200 KB. */
    static final int LONGEST = 16_384;

    /** Control characters of foreign text could forge a line or disturb a terminal; a space takes their place. */
    private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]");

    private static final Pattern CONTROLS_OF_TRACE = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f&&[^\\n\\t]]");

    private static final String CUT = " … (cut)";

    static LogText of(LogRecord record, Formatter formatter) {
        return new LogText(
                cut(CONTROLS.matcher(formatter.formatMessage(record)).replaceAll(" ")),
                Optional.ofNullable(record.getThrown()).map(LogText::trace));
    }

    /** The priority of syslog(3) for a level. */
    static int priority(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return 3;
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return 4;
        }
        return level.intValue() >= Level.INFO.intValue() ? 6 : 7;
    }

    static String word(Level level) {
        return switch (priority(level)) {
            case 3 -> "ERROR";
            case 4 -> "WARN";
            case 6 -> "INFO";
            default -> "DEBUG";
        };
    }

    private static String trace(Throwable thrown) {
        var text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return cut(CONTROLS_OF_TRACE.matcher(text.toString().stripTrailing()).replaceAll(" "));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - CUT.length()) + CUT;
    }
}
