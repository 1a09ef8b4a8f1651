package io.imexagent.core.text;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.Quoted;

/**
 * A cell of a table, on one line. Characters that could move the cursor or make the text look like another become
 * question marks, see {@link Quoted#isPlain}.
 */
public record Cell(String text, Style style) {

    /** The text of a value that is missing or unknown. */
    public static final String UNKNOWN = "-";

    public Cell {
        text = text.codePoints()
                .map(c -> Quoted.isPlain(c) ? c : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public static Cell of(String text) {
        return new Cell(text, Style.PLAIN);
    }

    /** Creates a cell with a severity's text in its colour. */
    public static Cell of(Severity severity) {
        return of(severity, severity.text());
    }

    /** Creates a cell with a text in the colour of a severity. */
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

    /** The width of a text on a terminal, in columns; every character counts as one. */
    static int width(CharSequence text) {
        return Character.codePointCount(text, 0, text.length());
    }

    /** The style of a text on a terminal. */
    public enum Style {
        PLAIN(""),
        /** A heading, bold. */
        HEADING("1"),
        /** In order, green. */
        GOOD("32"),
        /** To be checked, yellow. */
        WARNING("33"),
        /** Faulty, red. */
        BAD("31"),
        /** Secondary, faint. */
        FAINT("2");

        private final String code;

        Style(String code) {
            this.code = code;
        }

        /** Returns the text in this style: with ANSI escapes if {@code colours} is set, otherwise unchanged. */
        String paint(String text, boolean colours) {
            return colours && !code.isEmpty() && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }
    }
}
