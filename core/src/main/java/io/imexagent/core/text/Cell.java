package io.imexagent.core.text;

import io.imexagent.core.check.Severity;

/** A cell of a table, one line; control characters, which could move the cursor, become question marks. */
public record Cell(String text, Style style) {

    /** The text of a value that is missing or unknown. */
    public static final String UNKNOWN = "-";

    public Cell {
        text = text.chars()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public static Cell of(String text) {
        return new Cell(text, Style.PLAIN);
    }

    /** A severity's word in its colour. */
    public static Cell of(Severity severity) {
        return of(severity, severity.text());
    }

    /** A text in the colour of a severity. */
    public static Cell of(Severity severity, String text) {
        return new Cell(
                text,
                switch (severity) {
                    case OK -> Style.GOOD;
                    case INFO -> Style.PLAIN;
                    case WARNING -> Style.WARNING;
                    case CRITICAL -> Style.BAD;
                });
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

    /** How a text looks on a terminal. */
    public enum Style {
        PLAIN(""),
        /** A heading, bold. */
        HEADING("1"),
        /** All is well, green. */
        GOOD("32"),
        /** Needs a look, yellow. */
        WARNING("33"),
        /** Broken, red. */
        BAD("31"),
        /** Beside the point, faint. */
        FAINT("2");

        private final String code;

        Style(String code) {
            this.code = code;
        }

        /** The text in this style, in ANSI escapes where colours are wanted. */
        String paint(String text, boolean colours) {
            return colours && !code.isEmpty() && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }
    }
}
