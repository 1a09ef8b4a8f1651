package io.imexagent.cdi;

import java.util.Locale;
import java.util.Set;

/**
 * A text as a YAML scalar that every parser reads as this text, by YAML 1.1 and 1.2 alike: plain where it looks like a
 * name or path and like nothing else, otherwise in double quotes with everything but printable ASCII escaped.
 */
final class YamlText {

    /** What YAML 1.1 reads as truth values or nothing; the other readings of plain scalars begin with no letter. */
    private static final Set<String> WORDS = Set.of("y", "yes", "n", "no", "true", "false", "on", "off", "null");

    private YamlText() {}

    static String of(String text) {
        return isPlain(text) ? text : quoted(text);
    }

    private static boolean isPlain(String text) {
        if (text.isEmpty() || !(isLetter(text.charAt(0)) || text.charAt(0) == '/')) {
            return false;
        }
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isLetter(c) && !(c >= '0' && c <= '9') && "/_.-".indexOf(c) < 0) {
                return false;
            }
        }
        return !WORDS.contains(text.toLowerCase(Locale.ROOT));
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    /** Surrogates without a partner are no characters; they become the replacement character. */
    private static String quoted(String text) {
        var out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c >= ' ' && c <= '~') {
                out.append((char) c);
            } else if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                out.append("\\uFFFD");
            } else {
                out.append(c > 0xFFFF ? String.format("\\U%08X", c) : String.format("\\u%04X", c));
            }
        });
        return out.append('"').toString();
    }
}
