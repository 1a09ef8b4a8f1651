package io.imexagent.kubernetes;

import java.util.Map;
import java.util.Optional;

/** Pods of this node. Calls block: make them on a virtual thread. */
@FunctionalInterface
public interface Pods {

    /** Reads a pod; empty if it does not exist. */
    Optional<PodObject> get(String namespace, String name) throws ApiException;

    /**
     * A pod: whether it is in the host's network namespace, whether its users are the host's (unless {@code
     * spec.hostUsers} is {@code false}), and how many containers use each ResourceClaim.
     */
    record PodObject(String uid, boolean hostNetwork, boolean hostUsers, Map<String, Integer> users) {

        public PodObject {
            users = Map.copyOf(users);
        }
    }
}
