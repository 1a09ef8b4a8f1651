package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/** Sets up logging for the process. */
public final class Logging {

    /** Libraries whose information is noise to an operator, and why their level is what it is. */
    private static final Map<String, Level> QUIET = Map.of(
            // Warns of SO_KEEPALIVE, which a Unix socket does not have, on every connection.
            "io.netty.bootstrap", Level.SEVERE,
            "io.netty", Level.WARNING,
            "io.vertx", Level.WARNING,
            "io.grpc", Level.WARNING,
            "io.micrometer", Level.WARNING,
            // The JDK tells each exit of the process with a throwable.
            "java.lang.Runtime", Level.OFF);

    /** Part of the names of threads that rehearse: what they report happens to no claim. */
    public static final String REHEARSAL = "rehearsal";

    /** Loggers are held weakly by their manager; a level that was set on a forgotten one is lost. */
    private static final List<Logger> KEPT =
            QUIET.keySet().stream().map(Logger::getLogger).toList();

    private Logging() {}

    /**
     * Sends everything from this level on to standard error, which the journal reads where {@code JOURNAL_STREAM} is
     * set.
     */
    public static void start(AgentConfig.LogLevel level, boolean journal) {
        LogManager.getLogManager().reset();
        Handler handler = new ConsoleHandler();
        handler.setFormatter(new LogLine(journal));
        handler.setLevel(Level.ALL);
        handler.setFilter(entry -> entry.getLevel().intValue() > Level.INFO.intValue() || !rehearsing());
        Logger root = Logger.getLogger("");
        root.addHandler(handler);
        root.setLevel(level(level));
        KEPT.forEach(logger -> logger.setLevel(QUIET.get(logger.getName())));
    }

    /** Changes the level of a process that logs. */
    public static void change(AgentConfig.LogLevel level) {
        Logger.getLogger("").setLevel(level(level));
    }

    /** A handler's filter runs on the thread that logs. */
    private static boolean rehearsing() {
        return Thread.currentThread().getName().contains(REHEARSAL);
    }

    private static Level level(AgentConfig.LogLevel level) {
        return switch (level) {
            case ERROR -> Level.SEVERE;
            case WARN -> Level.WARNING;
            case INFO -> Level.INFO;
            case DEBUG -> Level.FINE;
        };
    }

    /**
     * Prints a log record as one line. For the journal it begins with the priority ({@code <4>}, sd-daemon(3)) and leaves
     * the time to the journal; otherwise it begins with time and level. Line breaks of foreign text become spaces.
     * The stack trace of a defect has lines of its own for people; in the journal it stays on the line of its event.
     */
    static final class LogLine extends Formatter {

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
}
