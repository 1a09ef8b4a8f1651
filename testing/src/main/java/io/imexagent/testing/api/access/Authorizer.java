package io.imexagent.testing.api.access;

import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Decides whether a request may be made: masters may all, kubelets what their node needs, others what is granted. */
public final class Authorizer {
    private final List<RoleGrant> grants;
    private final NodeRules nodes;
    private final Map<String, Set<String>> pathReaders = new ConcurrentHashMap<>();

    /** An authorizer with these roles bound from the start. */
    public Authorizer(Collection<RoleGrant> grants, NodeRules.Objects objects) {
        this.grants = new CopyOnWriteArrayList<>(grants);
        this.nodes = new NodeRules(objects);
    }

    /** Binds a role. */
    public void grant(RoleGrant grant) {
        grants.add(grant);
    }

    /** Lets a user or group get a path that is no resource. */
    public void grantPath(String subject, String path) {
        pathReaders.computeIfAbsent(path, none -> ConcurrentHashMap.newKeySet()).add(subject);
    }

    /** Whether TokenReviews and SubjectAccessReviews may be created; every kubelet may. */
    public boolean mayReview(Identity identity) {
        return identity.master() || identity.nodeName().isPresent();
    }

    /** Whether a path that is no resource may be got. */
    public boolean mayGet(Identity identity, String path) {
        return identity.master()
                || pathReaders.getOrDefault(path, Set.of()).stream().anyMatch(identity::is);
    }

    /** Takes every role for that resource from the user or group. */
    public void revoke(String subject, ResourceType type) {
        grants.removeIf(grant -> grant.subject().equals(subject) && grant.type() == type);
    }

    /** Returns where the request may be made; else it is a refusal with 403. */
    public void check(Identity identity, ResourceRequest request) {
        Optional<String> objection = objection(identity, request);
        if (objection.isPresent()) {
            String why = request.refusalText(identity.user());
            String reason = objection.get().isEmpty() ? "" : ": " + objection.get();
            throw StatusException.forbidden(request.type(), request.name(), why + reason);
        }
    }

    /** Why the request may not be made, which may be an empty text; empty where it may. */
    public Optional<String> objection(Identity identity, ResourceRequest request) {
        if (identity.master() || grants.stream().anyMatch(grant -> grant.allows(identity, request))) {
            return Optional.empty();
        }
        return identity.nodeName().isPresent()
                ? nodes.objection(identity.nodeName().get(), request)
                : Optional.of("");
    }
}
