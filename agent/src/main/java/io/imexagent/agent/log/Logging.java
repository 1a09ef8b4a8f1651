package io.imexagent.agent.log;

import io.imexagent.agent.config.AgentConfig;
import java.util.List;
import java.util.Map;
import java.util.logging.ConsoleHandler;
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
            "io.micrometer", Level.WARNING);

    /** Part of the names of threads that rehearse: what they report has not happened to anybody. */
    public static final String REHEARSAL = "rehearsal";

    /** Loggers are held weakly by their manager; a level that was set on a forgotten one is lost. */
    private static final List<Logger> KEPT =
            QUIET.keySet().stream().map(Logger::getLogger).toList();

    private Logging() {}

    /**
     * Sends everything from this level on to standard error.
     *
     * @param level the level
     * @param journal whether the journal reads standard error (the variable {@code JOURNAL_STREAM} is set)
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
}
