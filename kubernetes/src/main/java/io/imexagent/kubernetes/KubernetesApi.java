package io.imexagent.kubernetes;

/** The Kubernetes API, as far as this agent needs it; no limit of its own delays the calls about the fabric. */
public interface KubernetesApi extends ApiClient {

    /** ResourceClaims, for prepare: no limit of this client's own delays these reads. */
    Claims claims();

    /** ResourceClaims, for work that can wait: these reads share the limit on calls per second with watches. */
    default Claims backgroundClaims() {
        return claims();
    }

    ComputeDomains domains();

    Nodes nodes();

    Pods pods();

    /** The pods of a node; the identity of its kubelet may list them. */
    GroupPods groupPods(String nodeName);

    Slices slices(String driver, String nodeName);

    /** The server's version, as {@code v1.36.0}; kind {@code UNSUPPORTED} where it is older than 1.34. Blocking. */
    String verify() throws ApiException;

    sealed interface ApiState {

        record ApiUntried() implements ApiState {}

        record ApiAnswering() implements ApiState {}

        /** The last call failed. */
        record ApiFailing(ApiFailure failure) implements ApiState {}
    }
}
