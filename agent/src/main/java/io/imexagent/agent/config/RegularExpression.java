package io.imexagent.agent.config;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A regular expression of Java, found anywhere in a name unless it is anchored; empty matches nothing. */
record RegularExpression() implements ValueType<String> {

    private static final int LONGEST = 256;

    @Override
    public Optional<String> parse(String text) {
        try {
            Pattern.compile(text);
            return text.length() <= LONGEST ? Optional.of(text) : Optional.empty();
        } catch (PatternSyntaxException broken) {
            return Optional.empty();
        }
    }

    @Override
    public String print(String value) {
        return value;
    }

    @Override
    public String expected() {
        return "a regular expression of at most 256 characters, such as ^eth[0-9]+$, or empty for none";
    }

    @Override
    public Class<String> javaType() {
        return String.class;
    }
}
