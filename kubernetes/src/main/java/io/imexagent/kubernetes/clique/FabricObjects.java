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
 * The objects {@code NVLinkNode}, {@code NVLinkClique} and {@code FabricTest}, and the Nodes that they are about. Calls
 * block.
 */
public interface FabricObjects {

    /** The API group of all three. */
    String GROUP = "imexagent.io";

    /** How often {@link #record} tries where another writer is faster each time. */
    int RECORD_TRIES = 5;

    /** What keeps a node's object while its containers may run; the controller takes it off. */
    String NODE_FINALIZER = GROUP + "/holds";

    /** What keeps a clique's table; the controller takes it off. */
    String CLIQUE_FINALIZER = GROUP + "/channels";

    /** The label by which the objects of the nodes that hold in a clique are found; its value is empty. */
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
     * Adds a run to what is recorded of a clique, or replaces the run of the same id. Another runner who writes at the same
     * time loses nothing. Fails with kind {@code NOT_FOUND} where the cluster lacks the definition of FabricTests, and with
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
     * Tells the object of a node whenever it changes, from now on until the API is closed; empty where there is none.
     */
    void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener);

    /**
     * The objects of all nodes that hold in a clique, from the server and no cache of it: a hold that was acknowledged
     * before is among them. Fails also where one cannot be read: it might hold anything.
     */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException;

    /**
     * Says in the object of a node that its Node does not answer, or does; kind {@code CONFLICT} where it has changed.
     */
    Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException;

    /**
     * The server's Nodes by name, with their values of this label; one that cannot be read is missing, see
     * {@link #nodeExists}.
     */
    Map<String, ListedNode> kubernetesNodes(Optional<String> label) throws ApiException;

    /** Whether the cluster has a Node of this name. Blocking. */
    boolean nodeExists(String name) throws ApiException;

    /** Objects of one kind that are written as a whole. Calls block: make them on a virtual thread. */
    interface StoredObjects<T> {

        /** Reads an object from the server; empty where there is none of this name. */
        Optional<Stored<T>> get(String name) throws ApiException;

        /** Makes an object; of all who try at a time one succeeds, and kind {@code CONFLICT} is for the others. */
        Stored<T> create(String name, T content) throws ApiException;

        /** Replaces an object as observed; {@code CONFLICT} where it changed, {@code NOT_FOUND} where it is gone. */
        Stored<T> replace(Stored<T> observed, T content) throws ApiException;

        /** Deletes an object as it was observed, finalizers and all; kind {@code CONFLICT} where it has changed. */
        void delete(Stored<T> observed) throws ApiException;
    }
}
