package io.imexagent.core.text;

import io.imexagent.core.inventory.Finding;

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

    /** How bad a finding is. */
    public static Cell of(Finding.Severity severity) {
        return switch (severity) {
            case INFO -> Cell.of("info");
            case WARNING -> new Cell("warning", Style.WARNING);
            case ERROR -> new Cell("error", Style.BAD);
        };
    }

    /** The width on a terminal of characters that take one column each. */
    int width() {
        return text.codePointCount(0, text.length());
    }
}
