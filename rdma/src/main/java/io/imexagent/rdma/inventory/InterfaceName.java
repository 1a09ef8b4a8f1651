package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.Optional;

/**
 * A network interface's name: 1 to 15 printable characters except {@code /}, {@code :} and blanks ({@code
 * dev_valid_name}). Numbers in names are ordered by value.
 */
public record InterfaceName(String text) implements Comparable<InterfaceName> {

    private static final int LONGEST = 15;

    public InterfaceName {
        if (!isValid(text)) {
            throw new IllegalArgumentException("no name of a network interface: " + Quoted.of(text));
        }
    }

    public static Optional<InterfaceName> parse(String text) {
        return isValid(text) ? Optional.of(new InterfaceName(text)) : Optional.empty();
    }

    private static boolean isValid(String text) {
        return !text.isEmpty()
                && text.length() <= LONGEST
                && !text.equals(".")
                && !text.equals("..")
                && text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/' && c != ':');
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
