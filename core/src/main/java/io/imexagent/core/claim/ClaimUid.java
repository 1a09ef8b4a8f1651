package io.imexagent.core.claim;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The UID of a ResourceClaim, the key of everything that this node knows about a claim: 1 to 63 ASCII letters, digits
 * and hyphens, the first no hyphen. It is therefore safe in a file name and in a CDI device name.
 */
public record ClaimUid(String value) implements Comparable<ClaimUid> {

    private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");

    /** Takes a UID that fits the grammar, and throws {@link IllegalArgumentException} for every other text. */
    public ClaimUid {
        if (!GRAMMAR.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "claim UID " + Quoted.of(value) + " is not 1 to 63 letters, digits and hyphens");
        }
    }

    public static Optional<ClaimUid> parse(String text) {
        return GRAMMAR.matcher(text).matches() ? Optional.of(new ClaimUid(text)) : Optional.empty();
    }

    @Override
    public int compareTo(ClaimUid other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
