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

    /** Libraries whose information is noise to an operator, and why their level is what it is. */
    private static final Map<String, Level> QUIET = Map.of(
            // Warns of SO_KEEPALIVE, which a Unix socket does not have, on every connection.
            "io.netty.bootstrap", Level.SEVERE,
            "io.netty", Level.WARNING,
            "io.vertx", Level.WARNING,
            "io.grpc", Level.WARNING,
            "io.micrometer", Level.WARNING,
            // It logs as it is loaded, which the first entry of the journal does: what it needs is not there yet.
            "com.sun.jna", Level.OFF);

    /** Part of the names of threads that rehearse: what they report happens to no claim. */
    public static final String REHEARSAL = "rehearsal";

    /** The loggers of this program: what they tell is what an operator debugs with. */
    private static final Logger OWN = Logger.getLogger("io.imexagent");

    /** Loggers are held weakly by their manager; a level that was set on a forgotten one is lost. */
    private static final List<Logger> KEPT =
            QUIET.keySet().stream().map(Logger::getLogger).toList();

    private Logging() {}

    /**
     * Logs as a service does, in the format that is configured; without one as entries of the journal where that reads
     * standard error ({@code JOURNAL_STREAM}), and as text elsewhere.
     *
     * @param program what the journal calls the process
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

    /** Logs as a command does: from this level on, as text for whoever reads its standard error. */
    public static void ofCommand(LogLevel level) {
        start(level, standardError(new LogLine(false)));
    }

    private static void start(LogLevel level, Handler handler) {
        LogManager.getLogManager().reset();
        handler.setLevel(Level.ALL);
        handler.setFilter(entry -> entry.getLevel().intValue() > Level.INFO.intValue() || !rehearsing());
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

    /** Changes the level of a process that logs. The JDK stays at information: it has a line for each certificate. */
    public static void change(LogLevel level) {
        OWN.setLevel(level(level));
        Logger.getLogger("").setLevel(level == LogLevel.DEBUG ? Level.INFO : level(level));
    }

    /** A handler's filter runs on the thread that logs. */
    private static boolean rehearsing() {
        return Thread.currentThread().getName().contains(REHEARSAL);
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
