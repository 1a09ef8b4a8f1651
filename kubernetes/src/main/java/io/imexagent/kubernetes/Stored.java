package io.imexagent.kubernetes;

import java.util.Optional;

/**
 * An object of the cluster as it was read or written. A {@code deleting} object is removed as soon as it has no
 * finalizer. The {@code outage} is the controller's note in the object of a node, and is kept when the content is
 * replaced.
 */
public record Stored<T>(ObjectRef ref, boolean deleting, T content, Optional<Outage> outage) {

    /** Creates an object without an outage. */
    public Stored(ObjectRef ref, boolean deleting, T content) {
        this(ref, deleting, content, Optional.empty());
    }

    /** Creates a cluster-scoped object. */
    public Stored(String name, String uid, String version, boolean deleting, T content) {
        this(new ObjectRef(uid, "", name, version), deleting, content);
    }

    /** Returns a copy with this outage, or without one. */
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
