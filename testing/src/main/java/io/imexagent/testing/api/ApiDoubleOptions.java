package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.object.ResourceType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How a double starts. Every method sets one thing and returns the same options. */
public final class ApiDoubleOptions {
    boolean tls = true;
    boolean older;
    Duration bookmarkInterval = Duration.ofSeconds(10);
    int historyWindow = 10_000;
    final Map<String, Identity> tokens = new HashMap<>(Map.of("admin", Identity.ADMIN));
    final List<RoleGrant> grants = new ArrayList<>(List.of(
            ofAgents(ResourceType.COMPUTE_DOMAINS, Verb.GET, Verb.LIST),
            ofAgents(ResourceType.NVLINK_NODES, Verb.GET, Verb.LIST, Verb.WATCH, Verb.CREATE, Verb.UPDATE),
            ofAgents(ResourceType.NVLINK_CLIQUES, Verb.GET, Verb.UPDATE)));

    /**
     * TLS on a free loopback port, the token {@code admin} for an administrator, tokens {@code node:<name>} for
     * kubelets, all gates on, and the role of agents bound to them: ComputeDomains, NVLinkNodes and NVLinkCliques.
     */
    public ApiDoubleOptions() {}

    private static RoleGrant ofAgents(ResourceType type, Verb... verbs) {
        return new RoleGrant(Identity.NODES, type, "", Optional.empty(), Set.of(verbs));
    }

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

    /** Accepts a bearer token. */
    public ApiDoubleOptions token(String token, Identity identity) {
        tokens.put(token, identity);
        return this;
    }

    /** Binds a role. */
    public ApiDoubleOptions grant(RoleGrant grant) {
        grants.add(grant);
        return this;
    }

    /** Leaves out the role that lets nodes read ComputeDomains. */
    public ApiDoubleOptions withoutComputeDomainRole() {
        grants.removeIf(grant -> grant.type() == ResourceType.COMPUTE_DOMAINS);
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
