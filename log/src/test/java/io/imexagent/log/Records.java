package io.imexagent.log;

import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What reaches java.util.logging of a call to SLF4J. */
final class Records {

    private Records() {}

    /** The record of what is logged with the logger of this name, through SLF4J. */
    static LogRecord of(String logger, java.util.function.Consumer<org.slf4j.Logger> call) {
        var last = new AtomicReference<LogRecord>();
        var handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                last.set(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger target = Logger.getLogger(logger);
        target.setLevel(Level.ALL);
        target.setUseParentHandlers(false);
        target.addHandler(handler);
        try {
            call.accept(new LogProvider().getLoggerFactory().getLogger(logger));
        } finally {
            target.removeHandler(handler);
        }
        return last.get();
    }
}
