package io.imexagent.kubernetes.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads JSON text token by token as it arrives. Values that the caller does not request are skipped unchecked, however
 * deep and long they are, without recursion and without memory: only strings and brackets are recognized in them. Of a
 * requested text no more bytes are kept than the caller allows.
 */
public final class JsonScanner {

    /**
     * The longest value, in bytes; a sender of a longer one counts as broken. The limit is not about memory: a sender
     * that never ends a value would keep its reader busy for ever. An object in etcd has at most 1.5 MB, and as JSON at
     * most six times as many bytes.
     */
    public static final long LONGEST = 64 << 20;

    private static final JsonFactory TEXTS = new JsonFactoryBuilder()
            .enable(
                    JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS,
                    JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .build();

    private static final int BUFFER = 8 << 10;
    private static final int LARGEST_KEPT_BUFFER = 64 << 10;
    private static final int LONGEST_LITERAL = 32;

    private final InputStream in;
    private final byte[] piece = new byte[BUFFER];
    private int at;
    private int end;
    private byte[] kept = new byte[BUFFER];
    private long size;
    private int most;
    private boolean recording;
    private int depth;
    private long left = LONGEST;

    public JsonScanner(InputStream in) {
        this.in = in;
    }

    /** A value as it was written; its text is empty if it has more bytes than the caller allowed. */
    public record Raw(Optional<String> text, long bytes) {}

    public int depth() {
        return depth;
    }

    /** Begins a value, which may have {@link #LONGEST} bytes. */
    public void begin() {
        left = left > 0 ? LONGEST : left;
    }

    /** Reads the next byte that is not white space; fails if the text ends here. */
    public int next() throws IOException {
        return there(nextOrEnd());
    }

    /** Reads the next byte that is not white space; -1 at the end of the text. */
    public int nextOrEnd() throws IOException {
        int next;
        do {
            next = read();
        } while (next == ' ' || next == '\n' || next == '\r' || next == '\t');
        if (next == '{' || next == '[') {
            depth++;
        } else if (next == '}' || next == ']') {
            depth--;
        }
        return next;
    }

    /**
     * Reads the name of the field that begins with this byte, or after it if it is a comma; empty if it has more than
     * {@code most} bytes.
     */
    public Optional<String> name(int first, int most) throws IOException {
        if ((first == ',' ? next() : first) != '"') {
            throw new UnreadableException("a field without a name");
        }
        Optional<String> name = text(most);
        if (next() != ':') {
            throw new UnreadableException("a field without a value");
        }
        return name;
    }

    /** Reads the string whose opening quote was read; empty if it has more than {@code most} bytes. */
    public Optional<String> text(int most) throws IOException {
        keepFrom(most);
        for (int next = required(); next != '"'; next = required()) {
            keep(next);
            if (next == '\\') {
                keep(required());
            }
        }
        Optional<String> text = kept();
        return text.isPresent() ? Optional.of(unescaped(text.get())) : text;
    }

    /** Reads the number or word that begins with this byte; empty if it is longer than any valid one. */
    public Optional<String> literal(int first) throws IOException {
        keepFrom(LONGEST_LITERAL);
        int next = first;
        while (next >= 0 && ",:]}[{\" \n\r\t".indexOf(next) < 0) {
            keep(next);
            next = read();
        }
        if (size == 0) {
            throw new UnreadableException("no JSON");
        }
        if (next >= 0) {
            at--;
        }
        return kept();
    }

    /** Reads the object or array that begins with this byte, as it was written. */
    public Raw raw(int first, int most) throws IOException {
        keepFrom(most);
        keep(first);
        recording = true;
        try {
            close(depth - 1);
        } finally {
            recording = false;
        }
        return new Raw(kept(), size);
    }

    public void pass(int first) throws IOException {
        if (first == '"') {
            passString();
        } else if (first == '{' || first == '[') {
            close(depth - 1);
        } else {
            literal(first);
        }
    }

    /** Skips everything until at most {@code open} brackets are open. */
    public void close(int open) throws IOException {
        while (depth > open) {
            if (next() == '"') {
                passString();
            }
        }
    }

    private void passString() throws IOException {
        for (int next = required(); next != '"'; next = required()) {
            if (next == '\\') {
                required();
            }
        }
    }

    private void keepFrom(int bytes) {
        if (kept.length > LARGEST_KEPT_BUFFER) {
            kept = new byte[BUFFER];
        }
        size = 0;
        most = bytes;
    }

    private void keep(int next) {
        if (size < most) {
            if (size == kept.length) {
                kept = Arrays.copyOf(kept, Math.min(kept.length * 2, most));
            }
            kept[(int) size] = (byte) next;
        }
        size++;
    }

    private Optional<String> kept() {
        return size <= most ? Optional.of(new String(kept, 0, (int) size, UTF_8)) : Optional.empty();
    }

    private static String unescaped(String text) throws IOException {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        try (JsonParser parser = TEXTS.createParser('"' + text + '"')) {
            return parser.nextTextValue();
        } catch (JsonProcessingException e) {
            // The parser's message would quote the text.
            throw new UnreadableException("an escape that is none");
        }
    }

    private int required() throws IOException {
        return there(read());
    }

    private static int there(int next) throws UnreadableException {
        if (next < 0) {
            throw new UnreadableException("it ends too early");
        }
        return next;
    }

    private int read() throws IOException {
        if (at == end) {
            at = 0;
            end = Math.max(in.read(piece), 0);
            if (end == 0) {
                return -1;
            }
        }
        if (--left < 0) {
            throw new UnreadableException("it is longer than " + LONGEST + " bytes");
        }
        int next = piece[at++] & 0xff;
        if (recording) {
            keep(next);
        }
        return next;
    }
}
