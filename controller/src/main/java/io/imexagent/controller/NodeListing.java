package io.imexagent.controller;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.ListedNode;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The result of one list of the cluster's Nodes: whether each is ready, and the values of the label that names racks,
 * for Nodes that have it. {@code asOf} is the number of the fabric's last change before the list.
 */
public record NodeListing(Map<String, Boolean> ready, Map<String, String> racks, long asOf) {

    public NodeListing {
        ready = Map.copyOf(ready);
        racks = Map.copyOf(racks);
    }

    /** Lists the Nodes, with their values of the label that names racks; blocks. */
    public static NodeListing of(ClusterState state, FabricObjects fabric, Optional<String> rackLabel)
            throws ApiException {
        long asOf = state.fabricChanges();
        Map<String, ListedNode> nodes = fabric.kubernetesNodes(rackLabel);
        return new NodeListing(
                nodes.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, node -> node.getValue().ready())),
                nodes.entrySet().stream()
                        .filter(node -> !node.getValue().label().isEmpty())
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, node -> node.getValue().label())),
                asOf);
    }
}
