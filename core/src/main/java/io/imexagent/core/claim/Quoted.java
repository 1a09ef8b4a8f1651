package io.imexagent.core.claim;

/** Foreign text, made fit for a message: quoted, one line, printable, bounded. */
public final class Quoted {

    private static final int LONGEST = 80;

    private Quoted() {}

    /** The text in double quotes, control characters and surrogates replaced by {@code ?}, cut after 80 characters. */
    public static String of(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < Math.min(text.length(), LONGEST); i++) {
            char c = text.charAt(i);
            quoted.append(Character.isISOControl(c) || Character.isSurrogate(c) || c == '"' ? '?' : c);
        }
        return quoted.append(text.length() > LONGEST ? "…\"" : "\"").toString();
    }
}
