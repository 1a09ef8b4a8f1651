package io.imexagent.agent.config;

import java.util.Optional;

/**
 * A text that matches as a whole.
 *
 * @param noun what it is, with its article
 * @param grammar the regular expression that it must match
 * @param example one
 */
record Matching(String noun, String grammar, String example) implements ValueType<String> {

    @Override
    public Optional<String> parse(String text) {
        return text.matches(grammar) ? Optional.of(text) : Optional.empty();
    }

    @Override
    public String print(String value) {
        return value;
    }

    @Override
    public String expected() {
        return noun + ", such as " + example;
    }

    @Override
    public Class<String> javaType() {
        return String.class;
    }
}
