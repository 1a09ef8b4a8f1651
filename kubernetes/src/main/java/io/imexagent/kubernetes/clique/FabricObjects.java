package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import java.util.Optional;
import java.util.function.Consumer;

/** The objects {@code NVLinkNode} and {@code NVLinkClique}, as an agent uses them. Calls block. */
public interface FabricObjects {

    /** The API group of both. */
    String GROUP = "imexagent.io";

    /** What keeps a node's object while its containers may run; the controller takes it off. */
    String NODE_FINALIZER = GROUP + "/holds";

    /** What keeps a clique's table; the controller takes it off. */
    String CLIQUE_FINALIZER = GROUP + "/channels";

    /** The label by which the objects of the nodes that hold in a clique are found; its value is empty. */
    static String label(CliqueId clique) {
        return "clique." + GROUP + "/" + clique.text();
    }

    /** Reads the object of a node; empty where there is none. */
    Optional<Stored<NvlinkNode>> node(String name) throws ApiException;

    /**
     * Makes the object of a node.
     *
     * @throws ApiException with kind {@code CONFLICT} where there is one
     */
    Stored<NvlinkNode> create(String name, NvlinkNode content) throws ApiException;

    /**
     * Replaces the object of a node.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) throws ApiException;

    /** Tells the object of a node whenever it changes, from now on until the API is closed; empty where there is none. */
    void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener);

    /** Reads the table of a clique; empty where there is none. */
    Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException;

    /**
     * Replaces the table of a clique.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content) throws ApiException;
}
