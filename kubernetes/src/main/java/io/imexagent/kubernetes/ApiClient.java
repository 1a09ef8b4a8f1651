package io.imexagent.kubernetes;

import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.Map;

/**
 * A client of the API server: the part that agent and controller share. Closing it ends its watches and connections.
 */
public interface ApiClient extends AutoCloseable {

    /** The nodes and tables of the NVLink fabric. */
    FabricObjects fabric();

    /** Events, which this client reports under its own name. */
    Events events();

    /** Reviews of the identity of others, and of what they and this client may do. */
    Reviews reviews();

    /** The watched objects that cannot be read, by resource. Never blocks. */
    default Map<String, UnreadObjects> unread() {
        return Map.of();
    }

    /** The server's state, derived from the last calls. Never blocks. */
    ApiState state();

    @Override
    void close();
}
