package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.JsonText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Writes JSON byte for byte as Go's {@code encoding/json} (1.22 and later) does, compact, with {@code <}, {@code >},
 * {@code &}, U+2028 and U+2029 escaped: the public driver verifies a checkpoint by encoding again what it read.
 */
public final class GoJson {

    private static final char REPLACEMENT = '\uFFFD';

    private final StringBuilder out = new StringBuilder(1024);
    private boolean separate;

    public GoJson beginObject() {
        return begin('{');
    }

    public GoJson endObject() {
        return end('}');
    }

    /** Writes an object whose fields the writer adds. */
    <T> GoJson object(T value, BiConsumer<GoJson, T> fields) {
        begin('{');
        fields.accept(this, value);
        return end('}');
    }

    <T> GoJson field(String name, T value, BiConsumer<GoJson, T> fields) {
        return name(name).object(value, fields);
    }

    <T> GoJson fieldIfPresent(String name, Optional<T> value, BiConsumer<GoJson, T> fields) {
        value.ifPresent(present -> field(name, present, fields));
        return this;
    }

    <T> GoJson list(String name, List<T> values, BiConsumer<GoJson, T> fields) {
        name(name).begin('[');
        values.forEach(value -> object(value, fields));
        return end(']');
    }

    /** Writes a field with a list of values that are JSON already. */
    GoJson list(String name, List<JsonText> values) {
        name(name).begin('[');
        values.forEach(value -> literal(value.text()));
        return end(']');
    }

    GoJson listUnlessEmpty(String name, List<JsonText> values) {
        return values.isEmpty() ? this : list(name, values);
    }

    GoJson fieldIfPresent(String name, Optional<JsonText> value) {
        value.ifPresent(present -> name(name).literal(present.text()));
        return this;
    }

    /** Writes a field with a list of objects; an empty list is left out. */
    <T> GoJson listUnlessEmpty(String name, List<T> values, BiConsumer<GoJson, T> fields) {
        return values.isEmpty() ? this : list(name, values, fields);
    }

    GoJson name(String name) {
        text(name);
        out.append(':');
        separate = false;
        return this;
    }

    /** Writes a field with a text, also with an empty one. */
    public GoJson field(String name, String text) {
        return name(name).text(text);
    }

    public GoJson fieldUnlessEmpty(String name, String text) {
        return text.isEmpty() ? this : field(name, text);
    }

    public GoJson fieldUnlessEmpty(String name, List<String> texts) {
        return texts.isEmpty() ? this : field(name, texts);
    }

    public GoJson field(String name, List<String> texts) {
        name(name).begin('[');
        texts.forEach(this::text);
        return end(']');
    }

    /** A field with a time as {@code meta/v1 Time} writes it: RFC 3339 in UTC, whole seconds. */
    GoJson field(String name, Instant time) {
        return field(name, seconds(time));
    }

    static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    public GoJson field(String name, long number) {
        return name(name).literal(Long.toString(number));
    }

    /** A number, {@code true}, {@code false} or {@code null}; or fields that were written before. */
    GoJson literal(String written) {
        separate();
        out.append(written);
        separate = true;
        return this;
    }

    /** Writes a text. An unpaired surrogate becomes U+FFFD, as when Go reads it. */
    GoJson text(String text) {
        separate();
        out.append('"');
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            character(c);
        }
        out.append('"');
        separate = true;
        return this;
    }

    /** The code point, or U+FFFD for an unpaired surrogate. */
    static int sound(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? REPLACEMENT : c;
    }

    private void character(int c) {
        switch (c) {
            case '"', '\\' -> out.append('\\').append((char) c);
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < ' ') {
                    escape(c);
                } else {
                    raw(c);
                }
            }
        }
    }

    /**
     * Writes one JSON value as its author wrote it, without white space between tokens, and with the five characters
     * above escaped.
     */
    GoJson verbatim(String json) {
        separate();
        boolean inText = false;
        boolean escaped = false;
        int i = 0;
        while (i < json.length()) {
            int c = json.codePointAt(i);
            i += Character.charCount(c);
            if (inText || !(c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
                raw(c);
            }
            if (c == '"' && !escaped) {
                inText = !inText;
            }
            escaped = c == '\\' && !escaped;
        }
        separate = true;
        return this;
    }

    private void raw(int c) {
        if (c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029') {
            escape(c);
        } else {
            out.appendCodePoint(sound(c));
        }
    }

    private void escape(int c) {
        out.append("\\u").append(HexFormat.of().toHexDigits((char) c));
    }

    JsonText json() {
        return new JsonText(out.toString());
    }

    public byte[] toBytes() {
        return out.toString().getBytes(UTF_8);
    }

    @Override
    public String toString() {
        return out.toString();
    }

    private GoJson begin(char bracket) {
        separate();
        out.append(bracket);
        separate = false;
        return this;
    }

    private GoJson end(char bracket) {
        out.append(bracket);
        separate = true;
        return this;
    }

    private void separate() {
        if (separate) {
            out.append(',');
        }
    }
}
