package io.imexagent.core.setting;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Tells whether a text is a regular expression of Java. */
public final class RegularExpression implements Predicate<String> {

    /** What such a text is. It is found anywhere in a name unless it is anchored. */
    public static final String NOUN =
            "a regular expression of at most 256 characters, such as ^eth[0-9]+$, or empty for none";

    private static final int LONGEST = 256;

    @Override
    public boolean test(String text) {
        try {
            Pattern.compile(text);
            return text.length() <= LONGEST;
        } catch (PatternSyntaxException broken) {
            return false;
        }
    }
}
