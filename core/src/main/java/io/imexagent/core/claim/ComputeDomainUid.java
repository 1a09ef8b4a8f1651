package io.imexagent.core.claim;

/** The UID of a ComputeDomain as a claim gives it: any text that is not empty. It is never part of a path. */
public record ComputeDomainUid(String value) implements Comparable<ComputeDomainUid> {

    /** The form of the UIDs that the API server assigns: a UUID in lower-case RFC 4122 text. */
    public static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    public ComputeDomainUid {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the UID of a ComputeDomain is not empty");
        }
    }

    /** Whether an API server can have assigned this UID. */
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
