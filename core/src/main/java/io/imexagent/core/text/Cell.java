package io.imexagent.core.text;

/**
 * A cell of a table.
 *
 * @param text one line; control characters, which could move the cursor, become question marks
 * @param style how it looks
 */
public record Cell(String text, Style style) {

    public Cell {
        text = text.chars()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public static Cell of(String text) {
        return new Cell(text, Style.PLAIN);
    }

    public static Cell good(String text) {
        return new Cell(text, Style.GOOD);
    }

    public static Cell warning(String text) {
        return new Cell(text, Style.WARNING);
    }

    public static Cell bad(String text) {
        return new Cell(text, Style.BAD);
    }

    /** The width on a terminal of characters that take one column each. */
    static int width(CharSequence text) {
        return Character.codePointCount(text, 0, text.length());
    }
}
