package io.imexagent.checkpoint;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * Writes JSON byte for byte as Go's {@code encoding/json} does: compact, with {@code <}, {@code >}, {@code &}, U+2028 and
 * U+2029 escaped in texts (Go 1.22 and later, {@code appendString}). The public driver checks a checkpoint by writing
 * anew what it read, so every byte counts.
 */
public final class GoJson {

    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final char REPLACEMENT = '\uFFFD';

    private byte[] buffer = new byte[1024];
    private int size;
    private boolean separate;

    /** Begins an object. */
    public GoJson beginObject() {
        return begin('{');
    }

    /** Ends an object. */
    public GoJson endObject() {
        return end('}');
    }

    /** Begins an array. */
    GoJson beginArray() {
        return begin('[');
    }

    /** Ends an array. */
    GoJson endArray() {
        return end(']');
    }

    /** The name of the next value. */
    GoJson name(String name) {
        text(name);
        put(':');
        separate = false;
        return this;
    }

    /** A field whose text is written also when it is empty. */
    public GoJson field(String name, String text) {
        return name(name).text(text);
    }

    /** A field that is left out when its text is empty. */
    public GoJson fieldUnlessEmpty(String name, String text) {
        return text.isEmpty() ? this : field(name, text);
    }

    /** A field of texts that is left out when there are none. */
    public GoJson fieldUnlessEmpty(String name, List<String> texts) {
        return texts.isEmpty() ? this : field(name, texts);
    }

    /** A field of texts. */
    public GoJson field(String name, List<String> texts) {
        name(name).beginArray();
        texts.forEach(this::text);
        return endArray();
    }

    /** A field with a number. */
    public GoJson field(String name, long number) {
        return name(name).literal(Long.toString(number));
    }

    /** A number, {@code true}, {@code false} or {@code null}. */
    GoJson literal(String ascii) {
        separate();
        ascii(ascii);
        separate = true;
        return this;
    }

    /** A text. A surrogate without its partner becomes U+FFFD, as it does when Go reads it. */
    GoJson text(String text) {
        separate();
        put('"');
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i);
            character(c);
            i += Character.charCount(c);
        }
        put('"');
        separate = true;
        return this;
    }

    /** The code point, or U+FFFD for a surrogate without its partner. */
    static int sound(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? REPLACEMENT : c;
    }

    private void character(int c) {
        switch (c) {
            case '"', '\\' -> escape(c);
            case '\b' -> escape('b');
            case '\f' -> escape('f');
            case '\n' -> escape('n');
            case '\r' -> escape('r');
            case '\t' -> escape('t');
            case '<', '>', '&', '\u2028', '\u2029' -> unicode(c);
            default -> {
                if (c < ' ') {
                    unicode(c);
                } else {
                    utf8(sound(c));
                }
            }
        }
    }

    /** One JSON value as its author wrote it, without white space between tokens, the five characters escaped. */
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
            unicode(c);
        } else {
            utf8(sound(c));
        }
    }

    /** How many bytes are written. */
    int size() {
        return size;
    }

    /** Repeats the fields that were written before. */
    GoJson repeat(GoJson fields) {
        separate();
        reserve(fields.size);
        System.arraycopy(fields.buffer, 0, buffer, size, fields.size);
        size += fields.size;
        separate = true;
        return this;
    }

    /** The checksum of the bytes written so far. */
    long checksum() {
        return new DeepHash().update(buffer, 0, size).value();
    }

    /** Copies what is written from one size up to another. */
    void writeTo(ByteArrayOutputStream out, int from, int to) {
        out.write(buffer, from, to - from);
    }

    /** What is written. */
    public byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    private GoJson begin(char bracket) {
        separate();
        put(bracket);
        separate = false;
        return this;
    }

    private GoJson end(char bracket) {
        put(bracket);
        separate = true;
        return this;
    }

    private void separate() {
        if (separate) {
            put(',');
        }
    }

    private void escape(int c) {
        put('\\');
        put((char) c);
    }

    private void unicode(int c) {
        ascii("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            put((char) HEX[(c >> shift) & 0xf]);
        }
    }

    private void utf8(int c) {
        if (c < 0x80) {
            put((char) c);
        } else if (c < 0x800) {
            put((char) (0xC0 | (c >> 6)));
            put((char) (0x80 | (c & 0x3F)));
        } else if (c < 0x10000) {
            put((char) (0xE0 | (c >> 12)));
            put((char) (0x80 | ((c >> 6) & 0x3F)));
            put((char) (0x80 | (c & 0x3F)));
        } else {
            put((char) (0xF0 | (c >> 18)));
            put((char) (0x80 | ((c >> 12) & 0x3F)));
            put((char) (0x80 | ((c >> 6) & 0x3F)));
            put((char) (0x80 | (c & 0x3F)));
        }
    }

    private void ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    private void put(char octet) {
        reserve(1);
        buffer[size++] = (byte) octet;
    }

    private void reserve(int more) {
        if (size + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, size + more));
        }
    }
}
