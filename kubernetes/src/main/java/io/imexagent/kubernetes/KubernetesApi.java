package io.imexagent.kubernetes;

import io.imexagent.kubernetes.clique.FabricObjects;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The Kubernetes API, as far as this agent needs it. Closing it ends its watches and connections. */
public interface KubernetesApi extends AutoCloseable {

    /** ResourceClaims, for prepare: no limit of this client's own delays these reads. */
    Claims claims();

    /** ResourceClaims, for work that can wait: these reads share the limit on calls per second with watches. */
    default Claims backgroundClaims() {
        return claims();
    }

    ComputeDomains domains();

    Nodes nodes();

    Pods pods();

    Events events();

    /** What nodes hold of their cliques' channels: no limit of this client's own delays these calls. */
    FabricObjects fabric();

    /** The ResourceSlices of a driver on a node. */
    Slices slices(String driver, String nodeName);

    /** Who others are, and what they and this client's identity may do. */
    Reviews reviews();

    /** The server's version, as {@code v1.36.0}; kind {@code UNSUPPORTED} where it is older than 1.34. Blocking. */
    String verify() throws ApiException;

    /** The objects that are watched and cannot be read, by their resource. Never blocks. */
    default Map<String, UnreadObjects> unread() {
        return Map.of();
    }

    /** What the last calls told about the server. Never blocks. */
    State state();

    @Override
    void close();

    /** The state of the API server as the agent sees it. */
    sealed interface State {

        record Untried() implements State {}

        record Answering(Instant at) implements State {}

        /** The last call failed; {@code lastAnswer} is when a call was answered last. */
        record Failing(Instant at, ApiFailure failure, Optional<Instant> lastAnswer) implements State {}
    }
}
