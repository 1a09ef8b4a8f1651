package io.imexagent.core.claim;

/**
 * The UID of a ComputeDomain, as a claim's {@code domainID} gives it. It is compared and shown, never part of a path.
 *
 * @param value the UID, not empty
 */
public record ComputeDomainUid(String value) implements Comparable<ComputeDomainUid> {

    /** Takes any text but the empty one. */
    public ComputeDomainUid {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the UID of a ComputeDomain is not empty");
        }
    }

    @Override
    public int compareTo(ComputeDomainUid other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
