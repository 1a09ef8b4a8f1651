package io.imexagent.kubernetes;

/**
 * An object, with or without a namespace, at one state ({@code resourceVersion}). Every write names UID and version, so
 * that the server refuses a write (409) that is based on a past state or on another object.
 */
public record ObjectRef(String uid, String namespace, String name, String version) {

    /** Namespace and name, as people write them; only the name if the object has no namespace. */
    public String path() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /**
     * Whether {@code other} is a state of the same object and not older than this one. Versions increase within a
     * cluster (KEP-5504).
     */
    public boolean overtakenBy(ObjectRef other) {
        return uid.equals(other.uid) && compare(version, other.version) <= 0;
    }

    /** Compares versions as numbers, which they are on every API server; texts that are not numbers count as equal. */
    public static int compare(String one, String other) {
        return isNumber(one) && isNumber(other) ? Long.compare(Long.parseLong(one), Long.parseLong(other)) : 0;
    }

    /**
     * Whether this state is certainly not newer than a list of this version; false for versions that are not numbers.
     */
    public boolean olderThan(String list) {
        return isNumber(version) && isNumber(list) && compare(version, list) <= 0;
    }

    private static boolean isNumber(String version) {
        return version.matches("[0-9]{1,18}");
    }
}
