package io.imexagent.testing.api.access;

import java.util.Locale;

/** A verb of the Kubernetes API, as RBAC rules name it. */
public enum RequestVerb {
    GET,
    LIST,
    WATCH,
    CREATE,
    UPDATE,
    PATCH,
    DELETE,
    DELETECOLLECTION;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
