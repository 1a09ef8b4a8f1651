package io.imexagent.imex.query;

import java.util.Optional;

/** Makes foreign text fit for one line of a log, a table or a metric. */
public final class Printable {

    private static final int LONGEST_WORD = 40;
    private static final int LONGEST_LINE = 200;

    private Printable() {}

    /** The text without control characters, at most 40 characters. */
    static String word(String text) {
        return cut(text, LONGEST_WORD);
    }

    /** The text as one line, at most 200 characters. */
    public static String line(String text) {
        return cut(text.strip(), LONGEST_LINE);
    }

    static Optional<String> lastLine(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).reduce((earlier, later) -> later);
    }

    private static String cut(String text, int longest) {
        var line = new StringBuilder();
        text.codePoints()
                .limit(longest)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? ' ' : c)
                .forEach(line::appendCodePoint);
        return line.toString();
    }
}
