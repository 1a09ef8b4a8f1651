package io.imexagent.testing.api.access;

import java.util.Locale;

/** A verb of the Kubernetes API, as RBAC rules name it. */
public enum Verb {
    /** Reads one object. */
    GET,
    /** Reads a collection. */
    LIST,
    /** Follows a collection. */
    WATCH,
    /** Adds an object. */
    CREATE,
    /** Replaces an object. */
    UPDATE,
    /** Changes parts of an object. */
    PATCH,
    /** Removes an object. */
    DELETE,
    /** Removes a collection. */
    DELETECOLLECTION;

    /** The verb in lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
