package io.imexagent.agent.cli;

/**
 * A cell of a table.
 *
 * @param text one line; control characters, which could move the cursor, become question marks
 * @param style how it looks
 */
record Cell(String text, Style style) {

    Cell {
        text = text.chars()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    static Cell of(String text) {
        return new Cell(text, Style.PLAIN);
    }

    /** The width on a terminal of characters that take one column each. */
    int width() {
        return text.codePointCount(0, text.length());
    }
}
