package io.imexagent.core.text;

/** How a text looks on a terminal. */
public enum Style {
    /** As it is. */
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
