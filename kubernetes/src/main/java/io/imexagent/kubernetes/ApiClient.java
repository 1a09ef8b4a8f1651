package io.imexagent.kubernetes;

import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.Map;

/** What the agent's client of the API server and the controller's have. Closing it ends watches and connections. */
public interface ApiClient extends AutoCloseable {

    /** The nodes and tables of the NVLink fabric. */
    FabricObjects fabric();

    /** Events, which name this client. */
    Events events();

    /** Who others are, and what they and this client's identity may do. */
    Reviews reviews();

    /** The objects that are watched and cannot be read, by their resource. Never blocks. */
    default Map<String, UnreadObjects> unread() {
        return Map.of();
    }

    /** The server's state, by the last calls. Never blocks. */
    ApiState state();

    @Override
    void close();
}
