package io.imexagent.log;

import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/** The SLF4J logger of a class, which passes records to the logger of java.util.logging with the same name. */
@SuppressWarnings("serial") // a logger of SLF4J is read again by its name, AbstractLogger.readResolve
final class LogSource extends LegacyAbstractLogger {

    private final transient Logger target;

    LogSource(String name) {
        this.name = name;
        this.target = Logger.getLogger(name);
    }

    @Override
    public boolean isTraceEnabled() {
        return target.isLoggable(java.util.logging.Level.FINEST);
    }

    @Override
    public boolean isDebugEnabled() {
        return target.isLoggable(java.util.logging.Level.FINE);
    }

    @Override
    public boolean isInfoEnabled() {
        return target.isLoggable(java.util.logging.Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return target.isLoggable(java.util.logging.Level.WARNING);
    }

    @Override
    public boolean isErrorEnabled() {
        return target.isLoggable(java.util.logging.Level.SEVERE);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    /** Logs a record; SLF4J calls this only if the level is on. */
    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            @Nullable String template,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        target.log(new LogEntry(name, level(level), template, arguments, thrown));
    }

    private static java.util.logging.Level level(Level level) {
        return switch (level) {
            case ERROR -> java.util.logging.Level.SEVERE;
            case WARN -> java.util.logging.Level.WARNING;
            case INFO -> java.util.logging.Level.INFO;
            case DEBUG -> java.util.logging.Level.FINE;
            case TRACE -> java.util.logging.Level.FINEST;
        };
    }
}
