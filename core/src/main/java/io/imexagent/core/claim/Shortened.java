package io.imexagent.core.claim;

import java.nio.charset.StandardCharsets;

/** Shortens a message to a field of bounded length. */
public final class Shortened {

    private static final String MARK = "…";

    /** The mark's length in UTF-8. */
    private static final int MARK_BYTES = 3;

    private Shortened() {}

    /**
     * The message if it fits into this many bytes of UTF-8, 8 at least; otherwise its beginning and {@code …}, cut at a
     * space, or inside a word that is longer than half of the room.
     */
    public static String to(int bytes, String message) {
        byte[] utf8 = message.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= bytes) {
            return message;
        }
        int end = bytes - MARK_BYTES;
        while ((utf8[end] & 0xC0) == 0x80) {
            end--;
        }
        String beginning = new String(utf8, 0, end, StandardCharsets.UTF_8);
        // Where the room ends between two words, the last one is whole.
        int space = utf8[end] == ' ' ? beginning.length() : beginning.lastIndexOf(' ');
        return (space > beginning.length() / 2 ? beginning.substring(0, space) : beginning).stripTrailing() + MARK;
    }
}
