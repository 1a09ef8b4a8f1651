package io.imexagent.core.claim;

/** The UID of a ComputeDomain as a claim gives it: any text but the empty one, and never part of a path. */
public record ComputeDomainUid(String value) implements Comparable<ComputeDomainUid> {

    /** What the API server gives: a UUID in lower-case RFC 4122 text. */
    public static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    public ComputeDomainUid {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the UID of a ComputeDomain is not empty");
        }
    }

    /** Whether an API server can have given it. */
    public boolean isUuid() {
        return value.matches(UUID);
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
