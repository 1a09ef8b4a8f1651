package io.imexagent.kubernetes.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Cuts JSON text into values as it comes in. One value is held at a time, and never more of it than its caller allows;
 * the rest is passed over. Depth is counted, not followed: a value may be nested as deep as it likes.
 *
 * <p>What is inside a value is left to {@link WantedFields}; here only strings and brackets are told apart.
 */
final class JsonScanner {

    /** No object of an API server is longer: one in etcd has at most 1.5 MiB. */
    static final int LONGEST_OBJECT = 4 << 20;

    private static final int BUFFER = 8 << 10;
    private static final int LARGEST_KEPT_BUFFER = 64 << 10;

    private final InputStream in;
    private final byte[] piece = new byte[BUFFER];
    private int at;
    private int end;
    private byte[] kept = new byte[BUFFER];
    private int size;
    private boolean whole;
    private boolean alone;

    JsonScanner(InputStream in) {
        this.in = in;
    }

    /**
     * A value.
     *
     * @param text its text, or the beginning of it
     * @param whole whether the text is all of it
     */
    record Value(String text, boolean whole) {

        /**
         * All of the text.
         *
         * @throws UnreadableException where it is longer than was wanted
         */
        String all() throws UnreadableException {
            if (!whole) {
                throw tooLong();
            }
            return text;
        }
    }

    private static UnreadableException tooLong() {
        return new UnreadableException("it is longer than " + LONGEST_OBJECT + " bytes");
    }

    /** The next byte that is no white space; -1 at the end of the text. */
    int next() throws IOException {
        int next;
        do {
            next = read();
        } while (next == ' ' || next == '\n' || next == '\r' || next == '\t');
        return next;
    }

    /**
     * Reads the one object that the text is.
     *
     * @throws UnreadableException where it is longer than any object; no more of it is read then
     */
    String object() throws IOException {
        alone = true;
        return value(next(), LONGEST_OBJECT).text();
    }

    /**
     * Reads the value that begins with this byte.
     *
     * @param most how many bytes of it are wanted
     * @throws UnreadableException where the text ends before the value does
     */
    Value value(int first, int most) throws IOException {
        if (kept.length > LARGEST_KEPT_BUFFER) {
            kept = new byte[BUFFER];
        }
        size = 0;
        whole = true;
        if (first == '{' || first == '[' || first == '"') {
            structure(first, most);
        } else {
            literal(first, most);
        }
        return new Value(new String(kept, 0, size, StandardCharsets.UTF_8), whole);
    }

    private void structure(int first, int most) throws IOException {
        int depth = 0;
        boolean string = false;
        int next = first;
        while (true) {
            keep(next, most);
            if (string && next == '\\') {
                keep(required(), most);
            } else if (next == '"') {
                string = !string;
            } else if (!string && (next == '{' || next == '[')) {
                depth++;
            } else if (!string && (next == '}' || next == ']')) {
                depth--;
            }
            if (!string && depth <= 0) {
                return;
            }
            next = required();
        }
    }

    private void literal(int first, int most) throws IOException {
        for (int next = first; ; next = required()) {
            if (next < 0 || ",:]}[{\" \n\r\t".indexOf(next) >= 0) {
                break;
            }
            keep(next, most);
        }
        if (size == 0) {
            throw new UnreadableException("no JSON");
        }
        at--;
    }

    private void keep(int next, int most) throws UnreadableException {
        if (size == most) {
            if (alone) {
                throw tooLong();
            }
            whole = false;
            return;
        }
        if (size == kept.length) {
            kept = Arrays.copyOf(kept, Math.min(kept.length * 2, most));
        }
        kept[size++] = (byte) next;
    }

    private int required() throws IOException {
        int next = read();
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
        return piece[at++] & 0xff;
    }
}
