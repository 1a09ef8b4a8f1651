package io.imexagent.core.claim;

/** Makes foreign text fit for a message: quoted, on one line, printable, bounded. */
public final class Quoted {

    private static final int LONGEST = 80;

    private Quoted() {}

    /**
     * The text in double quotes, cut after 80 characters; characters that could break the line or the quotation, or
     * make the text look like another, become {@code ?}: control and format characters, separators, surrogates, quotes.
     */
    public static String of(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < Math.min(text.length(), LONGEST); i++) {
            char c = text.charAt(i);
            quoted.append(c != '"' && isPlain(c) ? c : '?');
        }
        return quoted.append(text.length() > LONGEST ? "…\"" : "\"").toString();
    }

    /** Whether a code point is a visible character or a blank, which cannot change how the text around it looks. */
    public static boolean isPlain(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
