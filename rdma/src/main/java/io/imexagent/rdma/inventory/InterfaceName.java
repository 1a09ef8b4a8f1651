package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A network interface's name: 1 to 15 printable characters except {@code /}, {@code :} and blanks ({@code
 * dev_valid_name}). Numbers in names are ordered by value.
 */
public record InterfaceName(String text) implements Comparable<InterfaceName> {

    private static final Pattern GRAMMAR = Pattern.compile("(?!\\.{1,2}$)[!-~&&[^/:]]{1,15}");

    public InterfaceName {
        if (!GRAMMAR.matcher(text).matches()) {
            throw new IllegalArgumentException("no name of a network interface: " + Quoted.of(text));
        }
    }

    public static Optional<InterfaceName> parse(String text) {
        return GRAMMAR.matcher(text).matches() ? Optional.of(new InterfaceName(text)) : Optional.empty();
    }

    @Override
    public int compareTo(InterfaceName other) {
        return RdmaDeviceName.AS_PEOPLE_COUNT.compare(text, other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
