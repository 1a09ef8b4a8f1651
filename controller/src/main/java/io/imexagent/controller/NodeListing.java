package io.imexagent.controller;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.Map;

/** The cluster's Nodes as a list had them, whether each is ready; {@code asOf} orders it among the changes of the fabric. */
public record NodeListing(Map<String, Boolean> ready, long asOf) {

    public NodeListing {
        ready = Map.copyOf(ready);
    }

    /** Lists the Nodes; blocks. */
    public static NodeListing of(ClusterState state, FabricObjects fabric) throws ApiException {
        long asOf = state.fabricChanges();
        return new NodeListing(fabric.kubernetesNodes(), asOf);
    }
}
