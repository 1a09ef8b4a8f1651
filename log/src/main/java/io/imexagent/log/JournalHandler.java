package io.imexagent.log;

import io.imexagent.systemd.Journal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Sends log records to the journal as entries with fields, and never waits for it, since the event loop logs too. An
 * entry for which the journal's queue has no room is dropped and counted, and the next accepted entry is followed by
 * the count; a line on standard error would wait for the same journal. While there is no reachable journal, the records
 * go to another handler.
 */
final class JournalHandler extends Handler {

    /** The facility of a service's standard output in the journal: 3, for daemons. */
    private static final String FACILITY = "3";

    private static final String PREFIX = "IMEX_";

    private final Journal journal;
    private final String identifier;
    private final Optional<String> node;
    private final Handler otherwise;
    private final Formatter plain = new LogLine(true);
    private final AtomicBoolean away = new AtomicBoolean();
    private final AtomicLong dropped = new AtomicLong();

    /**
     * Creates a handler that sends to this journal as a program with this name, {@code journalctl --identifier}.
     *
     * @param node the Node that all entries are about; empty for a program that does not serve a single one
     * @param otherwise the handler for records that the journal does not accept
     */
    JournalHandler(Journal journal, String identifier, Optional<String> node, Handler otherwise) {
        this.journal = journal;
        this.identifier = identifier;
        this.node = node;
        this.otherwise = otherwise;
    }

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        switch (journal.send(entry(record))) {
            case Journal.SendResult.EntrySent _ -> reportDropped();
            case Journal.SendResult.JournalBusy _ -> dropped.incrementAndGet();
            case Journal.SendResult.EntryRefused(String reason) -> {
                if (!away.getAndSet(true)) {
                    otherwise.publish(
                            warning("the journal takes no entry, they go to standard error meanwhile reason=\"" + reason
                                    + "\""));
                }
                otherwise.publish(record);
            }
        }
    }

    private void reportDropped() {
        if (away.compareAndSet(true, false)) {
            journal.send(entry(warning("the journal takes entries again, the last ones went to standard error")));
        }
        long count = dropped.getAndSet(0);
        if (count > 0
                && !(journal.send(entry(warning("the journal did not keep up, log entries are lost count=" + count)))
                        instanceof Journal.SendResult.EntrySent)) {
            dropped.addAndGet(count);
        }
    }

    private static LogRecord warning(String message) {
        return new LogRecord(Level.WARNING, message);
    }

    private Map<String, String> entry(LogRecord record) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("PRIORITY", Integer.toString(LogText.priority(record.getLevel())));
        fields.put("SYSLOG_FACILITY", FACILITY);
        fields.put("SYSLOG_IDENTIFIER", identifier);
        if (record instanceof LogEntry entry) {
            entry.known.ifPresent(message -> fields.put("MESSAGE_ID", message.id));
            entry.fields.forEach((name, value) -> fields.put(PREFIX + name, value));
        }
        node.ifPresent(name -> fields.put(PREFIX + "NODE", name));
        LogText text = LogText.of(record, plain);
        fields.put(
                "MESSAGE", text.trace().map(trace -> text.line() + "\n" + trace).orElse(text.line()));
        return fields;
    }

    @Override
    public void flush() {
        otherwise.flush();
    }

    @Override
    public void close() {
        otherwise.close();
    }
}
