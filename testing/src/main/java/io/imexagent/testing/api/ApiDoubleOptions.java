package io.imexagent.testing.api;

import io.imexagent.testing.api.access.UserIdentity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How a double starts. Every method sets one thing and returns the same options. */
public final class ApiDoubleOptions {
    boolean tls = true;
    boolean older;
    Duration bookmarkInterval = Duration.ofSeconds(10);
    int historyWindow = 10_000;
    final Map<String, UserIdentity> tokens = new HashMap<>(Map.of("admin", UserIdentity.ADMIN));

    /**
     * TLS on a free loopback port, the token {@code admin} for an administrator, tokens {@code node:<name>} for
     * kubelets, all gates on, and the role of agents bound to them: ComputeDomains, NVLinkNodes and NVLinkCliques.
     */
    public ApiDoubleOptions() {}

    /** Plain HTTP instead of TLS. */
    public ApiDoubleOptions plainHttp() {
        this.tls = false;
        return this;
    }

    /** Serves resource.k8s.io as Kubernetes 1.33 does: v1beta2 and v1beta1, no v1. */
    public ApiDoubleOptions older() {
        this.older = true;
        return this;
    }

    public ApiDoubleOptions token(String token, UserIdentity identity) {
        tokens.put(token, identity);
        return this;
    }

    /** How often a watch that takes bookmarks gets one; default 10 s. */
    public ApiDoubleOptions bookmarkInterval(Duration interval) {
        this.bookmarkInterval = interval;
        return this;
    }

    /** How many changes are kept for watches that resume; default 10,000. */
    public ApiDoubleOptions historyWindow(int changes) {
        this.historyWindow = changes;
        return this;
    }
}
