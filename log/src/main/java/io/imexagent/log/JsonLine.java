package io.imexagent.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * Prints a log record as a JSON object on one line, with what programs ask for under names of its own. Where the journal
 * reads the line, its priority precedes it, which the journal takes away.
 */
final class JsonLine extends Formatter {

    private static final JsonFactory JSON = new JsonFactory();
    private static final Map<String, String> NAMES = Map.of(LogEntry.CLAIM_UID, "claimUid", LogEntry.CODE, "code");

    private final Optional<String> node;
    private final boolean journal;

    JsonLine(Optional<String> node, boolean journal) {
        this.node = node;
        this.journal = journal;
    }

    @Override
    public String format(LogRecord record) {
        var line = new StringWriter(256);
        if (journal) {
            line.append('<')
                    .append(Integer.toString(LogText.priority(record.getLevel())))
                    .append('>');
        }
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("time", LogLine.TIME.format(record.getInstant()));
            json.writeStringField("level", LogText.word(record.getLevel()));
            LogText text = LogText.of(record, this);
            json.writeStringField("message", text.line());
            if (record instanceof LogEntry entry) {
                write(entry, json);
            }
            if (node.isPresent()) {
                json.writeStringField("node", node.get());
            }
            if (text.trace().isPresent()) {
                json.writeStringField("trace", text.trace().get());
            }
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException("a text could not be written into memory", impossible);
        }
        return line.append('\n').toString();
    }

    private static void write(LogEntry entry, JsonGenerator json) throws IOException {
        if (entry.known().isPresent()) {
            json.writeStringField("messageId", entry.known().get().id);
        }
        for (Map.Entry<String, String> field : entry.fields().entrySet()) {
            json.writeStringField(NAMES.getOrDefault(field.getKey(), field.getKey()), field.getValue());
        }
    }
}
