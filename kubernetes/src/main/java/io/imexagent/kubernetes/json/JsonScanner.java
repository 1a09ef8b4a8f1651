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
 * Reads JSON text as it comes in, token by token. What its caller does not ask for is passed over unchecked, as deep
 * and as long as it may be, without recursion and without memory: only strings and brackets are told apart. Of a text
 * that is asked for no more is held than its caller allows.
 */
public final class JsonScanner {

    /**
     * How many bytes a value may have before its sender counts as broken. Not for memory: who never ends a value would
     * hold its reader for ever. An object in etcd has 1.5 MB, as JSON at most six times as many bytes.
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

    /** A value as it was written; its text is empty where it has more bytes than were asked for. */
    public record Raw(Optional<String> text, long bytes) {}

    public int depth() {
        return depth;
    }

    /** A value begins that may be as long as any. */
    public void begin() {
        left = left > 0 ? LONGEST : left;
    }

    /** The next byte that is no white space, of a text that may not end here. */
    public int next() throws IOException {
        return there(nextOrEnd());
    }

    /** The next byte that is no white space; -1 at the end of the text. */
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

    /** The name of the field that begins with this byte, or behind it; empty where it has more bytes than {@code most}. */
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

    /** The string whose quote was read; empty where it has more bytes than {@code most}. */
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

    /** The number or word that begins with this byte; empty where it is longer than any that means something. */
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

    /** The object or array that begins with this byte, as it was written. */
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

    /** Passes over everything until no more than so many brackets are open. */
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
            // Its own words would quote the text.
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
