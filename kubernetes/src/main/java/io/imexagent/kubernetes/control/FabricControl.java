package io.imexagent.kubernetes.control;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects {@code NVLinkNode} and {@code NVLinkClique}, as a controller uses them. Calls block. */
public interface FabricControl {

    /**
     * The objects of all nodes that hold in a clique, from the server itself and no cache of it: a hold that was
     * acknowledged before is among them.
     *
     * @throws ApiException also where one of them cannot be read: it might hold anything
     */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException;

    /** Reads the table of a clique from the server; empty where there is none. */
    Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException;

    /**
     * Makes the table of a clique.
     *
     * @throws ApiException with kind {@code CONFLICT} where there is one
     */
    Stored<NvlinkClique> create(CliqueId id, NvlinkClique content) throws ApiException;

    /**
     * Replaces the table of a clique.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content) throws ApiException;

    /**
     * Deletes the table of a clique as it was observed, finalizer and all.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed
     */
    void deleteClique(Stored<NvlinkClique> observed) throws ApiException;

    /**
     * The Nodes of the cluster by their names, and whether each is ready; asked of the server. One that cannot be read is
     * missing: {@link #nodeExists} knows it.
     */
    Map<String, Boolean> kubernetesNodes() throws ApiException;

    /** Whether the cluster has a Node of this name; asked of the server. */
    boolean nodeExists(String name) throws ApiException;

    /**
     * Deletes the object of a node as it was observed, finalizer and all.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed
     */
    void deleteNode(Stored<NvlinkNode> observed) throws ApiException;
}
