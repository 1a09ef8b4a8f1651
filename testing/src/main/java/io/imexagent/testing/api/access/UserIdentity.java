package io.imexagent.testing.api.access;

import java.util.Optional;
import java.util.Set;

/**
 * Who sends a request.
 *
 * @param tokenNode the node that the token is bound to, {@code authentication.kubernetes.io/node-name} of the user's extra
 */
public record UserIdentity(String user, Set<String> groups, Optional<String> tokenNode) {
    public static final String MASTERS = "system:masters";
    public static final String NODES = "system:nodes";
    public static final UserIdentity ADMIN = new UserIdentity("kubernetes-admin", Set.of(MASTERS));

    private static final String NODE_PREFIX = "system:node:";
    private static final String ACCOUNT_PREFIX = "system:serviceaccount:";

    public UserIdentity {
        groups = Set.copyOf(groups);
    }

    public UserIdentity(String user, Set<String> groups) {
        this(user, groups, Optional.empty());
    }

    /** A service account by a token that is bound to a node. */
    public static UserIdentity account(String namespace, String name, String node) {
        return new UserIdentity(
                ACCOUNT_PREFIX + namespace + ":" + name, Set.of("system:serviceaccounts"), Optional.of(node));
    }

    /** Whether this is a service account whose token is bound to the node; a kubelet is none. */
    boolean isAccountOn(String node) {
        return user.startsWith(ACCOUNT_PREFIX) && tokenNode.equals(Optional.of(node));
    }

    /** The identity of the kubelet on a node. */
    public static UserIdentity node(String nodeName) {
        return new UserIdentity(NODE_PREFIX + nodeName, Set.of(NODES));
    }

    /** The node whose kubelet this is; empty for everybody else. */
    public Optional<String> nodeName() {
        return groups.contains(NODES) && user.startsWith(NODE_PREFIX)
                ? Optional.of(user.substring(NODE_PREFIX.length()))
                : Optional.empty();
    }

    boolean master() {
        return groups.contains(MASTERS);
    }

    boolean is(String subject) {
        return user.equals(subject) || groups.contains(subject);
    }
}
