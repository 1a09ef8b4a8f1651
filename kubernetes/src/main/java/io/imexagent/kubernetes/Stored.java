package io.imexagent.kubernetes;

import java.util.Optional;

/**
 * An object of the cluster as it was read or written; one that is {@code deleting} goes as soon as nothing keeps it. The
 * {@code outage} is the controller's word in the object of a node, and stays when the content is replaced.
 */
public record Stored<T>(ObjectRef ref, boolean deleting, T content, Optional<Outage> outage) {

    /** An object without an outage. */
    public Stored(ObjectRef ref, boolean deleting, T content) {
        this(ref, deleting, content, Optional.empty());
    }

    /** An object that stands in no namespace. */
    public Stored(String name, String uid, String version, boolean deleting, T content) {
        this(new ObjectRef(uid, "", name, version), deleting, content);
    }

    /** The same with this outage, or without one. */
    public Stored<T> with(Optional<Outage> now) {
        return new Stored<>(ref, deleting, content, now);
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
