package io.imexagent.log;

import io.imexagent.systemd.Journal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Sets up logging for the process. */
public final class Logging {

    /** Libraries with messages that are noise to an operator, with the level of each and the reason. */
    private static final Map<String, Level> QUIET = Map.of(
            // Warns of SO_KEEPALIVE, which a Unix socket does not have, on every connection.
            "io.netty.bootstrap", Level.SEVERE,
            "io.netty", Level.WARNING,
            "io.vertx", Level.WARNING,
            "io.grpc", Level.WARNING,
            "io.micrometer", Level.WARNING,
            // It logs while it is loaded, which happens for the journal's first entry, before logging is ready for it.
            "com.sun.jna", Level.OFF);

    /** The root of the loggers of this program, the only ones that log at level debug. */
    private static final Logger OWN = Logger.getLogger("io.imexagent");

    /** The quiet loggers. Their manager has only weak references to loggers, and a collected logger loses its level. */
    private static final List<Logger> KEPT =
            QUIET.keySet().stream().map(Logger::getLogger).toList();

    private Logging() {}

    /**
     * Starts logging for a service, in the configured format. Without one, entries go to the journal if it reads
     * standard error ({@code JOURNAL_STREAM}), and otherwise they are text.
     *
     * @param program the name of the process in the journal
     * @param node the Node that it serves; empty for one that serves the cluster
     */
    public static void start(
            LogLevel level,
            Optional<LogFormat> configured,
            String program,
            Optional<String> node,
            Map<String, String> environment) {
        boolean read = Journal.readsStandardError(environment);
        LogFormat format = configured.orElse(read ? LogFormat.JOURNAL : LogFormat.TEXT);
        start(
                level,
                switch (format) {
                    case TEXT -> standardError(new LogLine(read));
                    case JSON -> standardError(new JsonLine(node, read));
                    case JOURNAL -> new JournalHandler(new Journal(), program, node, standardError(new LogLine(read)));
                });
    }

    /** Starts logging for a command: from this level on, as text on standard error. */
    public static void ofCommand(LogLevel level) {
        start(level, standardError(new LogLine(false)));
    }

    private static void start(LogLevel level, Handler handler) {
        LogManager.getLogManager().reset();
        handler.setLevel(Level.ALL);
        Logger.getLogger("").addHandler(handler);
        change(level);
        KEPT.forEach(logger -> logger.setLevel(QUIET.get(logger.getName())));
    }

    private static Handler standardError(Formatter formatter) {
        Handler handler = new ConsoleHandler();
        handler.setFormatter(formatter);
        handler.setLevel(Level.ALL);
        return handler;
    }

    /** Changes the level of a process. The JDK stays at information: it logs a debug line for each certificate. */
    public static void change(LogLevel level) {
        OWN.setLevel(level(level));
        Logger.getLogger("").setLevel(level == LogLevel.DEBUG ? Level.INFO : level(level));
    }

    private static Level level(LogLevel level) {
        return switch (level) {
            case ERROR -> Level.SEVERE;
            case WARN -> Level.WARNING;
            case INFO -> Level.INFO;
            case DEBUG -> Level.FINE;
        };
    }
}
