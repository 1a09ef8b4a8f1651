package io.imexagent.testing.api.access;

import java.util.Optional;
import java.util.Set;

public record Identity(String user, Set<String> groups) {
    public static final String MASTERS = "system:masters";
    public static final String NODES = "system:nodes";
    public static final Identity ADMIN = new Identity("kubernetes-admin", Set.of(MASTERS));

    private static final String NODE_PREFIX = "system:node:";

    public Identity {
        groups = Set.copyOf(groups);
    }

    /** The identity of the kubelet on a node. */
    public static Identity node(String nodeName) {
        return new Identity(NODE_PREFIX + nodeName, Set.of(NODES));
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
