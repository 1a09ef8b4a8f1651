package io.imexagent.kubernetes.clique;

import io.imexagent.kubernetes.ObjectRef;

/** An object of the cluster as it was read or written; one that is {@code deleting} goes as soon as nothing keeps it. */
public record Stored<T>(ObjectRef ref, boolean deleting, T content) {

    /** An object that stands in no namespace. */
    public Stored(String name, String uid, String version, boolean deleting, T content) {
        this(new ObjectRef(uid, "", name, version), deleting, content);
    }

    public String name() {
        return ref.name();
    }

    public String uid() {
        return ref.uid();
    }

    public String version() {
        return ref.version();
    }
}
