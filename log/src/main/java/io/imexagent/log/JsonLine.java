package io.imexagent.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * Prints a log record as a JSON object on one line, with members for the values that programs query. If the journal
 * reads the line, the line starts with its priority, which the journal removes.
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
            for (Map.Entry<String, String> field : fields(record).entrySet()) {
                json.writeStringField(field.getKey(), field.getValue());
            }
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException("a text could not be written into memory", impossible);
        }
        return line.append('\n').toString();
    }

    private Map<String, String> fields(LogRecord record) {
        LogText text = LogText.of(record, this);
        var fields = new LinkedHashMap<String, String>();
        fields.put("time", LogLine.TIME.format(record.getInstant()));
        fields.put("level", LogText.word(record.getLevel()));
        fields.put("message", text.line());
        if (record instanceof LogEntry entry) {
            entry.known.ifPresent(message -> fields.put("messageId", message.id));
            entry.fields.forEach((name, value) -> fields.put(NAMES.getOrDefault(name, name), value));
        }
        node.ifPresent(name -> fields.put("node", name));
        text.trace().ifPresent(trace -> fields.put("trace", trace));
        return fields;
    }
}
