package io.imexagent.kubernetes;

/**
 * Which object, in a namespace or none, and which state of it ({@code resourceVersion}). Every write names both, so
 * that the server refuses one that was planned over a past state (409) or another object.
 */
public record ObjectRef(String uid, String namespace, String name, String version) {

    /** Namespace and name, as people write them; of what stands in no namespace the name. */
    public String path() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** Whether the other state is of the same object and not older. Versions of one cluster grow (KEP-5504). */
    public boolean overtakenBy(ObjectRef other) {
        return uid.equals(other.uid) && compare(version, other.version) <= 0;
    }

    /** Compares versions: as numbers, which they are on every API server; others count as equal. */
    public static int compare(String one, String other) {
        return isNumber(one) && isNumber(other) ? Long.compare(Long.parseLong(one), Long.parseLong(other)) : 0;
    }

    /** Whether this state is surely not younger than a list of this version; versions that are no numbers say nothing. */
    public boolean olderThan(String list) {
        return isNumber(version) && isNumber(list) && compare(version, list) <= 0;
    }

    private static boolean isNumber(String version) {
        return version.matches("[0-9]{1,18}");
    }
}
