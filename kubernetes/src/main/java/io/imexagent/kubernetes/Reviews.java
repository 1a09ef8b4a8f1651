package io.imexagent.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who others are, and what they may do: the questions of a server that lets the API server decide about its own clients.
 * This client's identity needs {@code create} on both reviews, which the ClusterRole {@code system:auth-delegator} grants,
 * and the Node authorizer to each kubelet. Calls block: make them on a virtual thread.
 */
public interface Reviews {

    /**
     * Asks whose bearer token this is (TokenReview); empty where no user has it.
     *
     * @throws ApiException where the server does not tell
     */
    Optional<User> owner(String token) throws ApiException;

    /**
     * Asks whether a user may {@code get} a path that is no resource (SubjectAccessReview).
     *
     * @throws ApiException where the server does not tell
     */
    boolean mayGet(User user, String path) throws ApiException;

    /**
     * A user as the API server knows them.
     *
     * @param uid what tells users of one name apart; empty where the server has none
     * @param extra what else authentication found out; an authorizer may go by it
     */
    record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {

        /** Copies the collections in. */
        public User {
            groups = List.copyOf(groups);
            extra = Map.copyOf(extra);
        }
    }
}
