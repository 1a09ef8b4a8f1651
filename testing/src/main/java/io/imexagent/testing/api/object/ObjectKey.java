package io.imexagent.testing.api.object;

/** The place of an object; the namespace is empty for types without namespaces, as in the API itself. */
public record ObjectKey(ResourceType type, String namespace, String name) implements Comparable<ObjectKey> {
    @Override
    public int compareTo(ObjectKey other) {
        int byType = type.compareTo(other.type);
        int byNamespace = byType != 0 ? byType : namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
}
