package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The objects {@code NVLinkNode}, {@code NVLinkClique} and {@code FabricTest}, and the Nodes that they describe. Calls
 * block.
 */
public interface FabricObjects {

    /** The API group of these objects. */
    String GROUP = "imexagent.io";

    /** How often {@link #record} tries if another writer changes the object each time. */
    int RECORD_TRIES = 5;

    /** The finalizer that keeps a node's object while its containers may run; the controller removes it. */
    String NODE_FINALIZER = GROUP + "/holds";

    /** The finalizer that keeps a clique's table; the controller removes it. */
    String CLIQUE_FINALIZER = GROUP + "/channels";

    /** The label that selects the objects of the nodes that hold channels in a clique; its value is empty. */
    static String label(CliqueId clique) {
        return "clique." + GROUP + "/" + clique.text();
    }

    /** The objects of the nodes, by the nodes' names. */
    StoredObjects<NvlinkNode> nodes();

    /** The tables of the cliques, by the cliques' texts. */
    StoredObjects<NvlinkClique> cliques();

    /** The results of the fabric test, by the cliques' texts. */
    StoredObjects<FabricTest> tests();

    /**
     * Adds a run to the record of a clique, or replaces the run of the same ID. Runs that others record at the same
     * time are kept. Fails with kind {@code NOT_FOUND} if the cluster lacks the definition of FabricTests, and with
     * {@code CONFLICT} after {@value #RECORD_TRIES} tries.
     */
    default Stored<FabricTest> record(CliqueId clique, RecordedRun run) throws ApiException {
        StoredObjects<FabricTest> tests = tests();
        for (int attempt = 1; ; attempt++) {
            try {
                Optional<Stored<FabricTest>> present = tests.get(clique.text());
                return present.isPresent()
                        ? tests.replace(present.get(), present.get().content().with(run))
                        : tests.create(clique.text(), FabricTest.NONE.with(run));
            } catch (ApiException overtaken) {
                if (attempt == RECORD_TRIES || overtaken.failure().kind() != ApiFailure.FailureKind.CONFLICT) {
                    throw overtaken;
                }
            }
        }
    }

    /**
     * Passes the object of a node to the listener at each change until the API is closed; empty if it does not exist.
     */
    void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener);

    /**
     * Lists the objects of all nodes that hold channels in a clique, from the server and not from its cache, so that
     * every hold acknowledged before is included. Fails also if one of them cannot be read, since it might hold any
     * channel.
     */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException;

    /**
     * Writes into the object of a node that its Node does not respond, or responds again; fails with kind {@code
     * CONFLICT} if the object has changed.
     */
    Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException;

    /**
     * Lists the server's Nodes by name, with their values of this label. A Node that cannot be read is missing, see
     * {@link #nodeExists}.
     */
    Map<String, ListedNode> kubernetesNodes(Optional<String> label) throws ApiException;

    /** Whether the cluster has a Node of this name. Blocks. */
    boolean nodeExists(String name) throws ApiException;

    /** Objects of one kind that are written as a whole. Calls block: make them on a virtual thread. */
    interface StoredObjects<T> {

        /** Reads an object from the server; empty if it does not exist. */
        Optional<Stored<T>> get(String name) throws ApiException;

        /**
         * Creates an object. If several clients try at a time, one succeeds and the others fail with kind {@code
         * CONFLICT}.
         */
        Stored<T> create(String name, T content) throws ApiException;

        /** Replaces an observed object; fails with {@code CONFLICT} if it changed, {@code NOT_FOUND} if it is gone. */
        Stored<T> replace(Stored<T> observed, T content) throws ApiException;

        /**
         * Deletes an observed object together with its finalizers; fails with kind {@code CONFLICT} if it has changed.
         */
        void delete(Stored<T> observed) throws ApiException;
    }
}
