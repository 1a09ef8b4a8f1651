package io.imexagent.log;

import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.NOP_FallbackServiceProvider;

/**
 * SLF4J over java.util.logging, for a log with fields that come from the logged values rather than from the text: a
 * record is a {@link LogEntry}. SLF4J finds this class by its name in {@code META-INF/services}. Apart from the loggers
 * it is SLF4J's own provider, which keeps markers and ignores the MDC.
 */
public final class LogProvider extends NOP_FallbackServiceProvider {

    private final ConcurrentHashMap<String, Logger> loggers = new ConcurrentHashMap<>();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(name, LogSource::new);
    }
}
