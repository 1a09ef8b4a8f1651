package io.imexagent.kubernetes;

/** The part of the Kubernetes API that the agent uses. Calls about the fabric are not rate-limited. */
public interface KubernetesApi extends ApiClient {

    /** ResourceClaims for prepare: these reads are not rate-limited. */
    Claims claims();

    /** ResourceClaims for background work: these reads share the limit on calls per second with watches. */
    default Claims backgroundClaims() {
        return claims();
    }

    ComputeDomains domains();

    Nodes nodes();

    Pods pods();

    /** The pods of a node, which the identity of its kubelet may list. */
    GroupPods groupPods(String nodeName);

    Slices slices(String driver, String nodeName);

    /**
     * Reads the server's version, such as {@code v1.36.0}; fails with kind {@code UNSUPPORTED} if it is older than
     * 1.34. Blocks.
     */
    String verify() throws ApiException;

    sealed interface ApiState {

        record ApiUntried() implements ApiState {}

        record ApiAnswering() implements ApiState {}

        /** The last call failed. */
        record ApiFailing(ApiFailure failure) implements ApiState {}
    }
}
