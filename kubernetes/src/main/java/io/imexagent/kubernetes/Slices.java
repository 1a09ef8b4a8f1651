package io.imexagent.kubernetes;

import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import java.util.List;
import java.util.function.Consumer;

/** The ResourceSlices of one driver on one node. Calls block: make them on a virtual thread. */
public interface Slices {

    /** Lists the slices; {@code owner} is the node that must own them. */
    List<ObservedSlice> list(NodeRef owner) throws ApiException;

    /**
     * Makes a slice, owned by the node, and returns it as the server stored it. Its position in the pool, from 0, leads its
     * name.
     */
    ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException;

    /**
     * Replaces a slice that is unchanged since it was observed, and returns it as the server stored it.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException;

    /** Deletes a slice; one that is gone already is no failure. */
    void delete(ObservedSlice observed) throws ApiException;

    /**
     * Watches the slices, level-triggered: the listener gets all of them at first and after every change, on a thread
     * of the client. The watch comes back by itself after every kind of failure.
     */
    Watching watch(NodeRef owner, Consumer<List<ObservedSlice>> listener);

    /** A node object, the owner of slices. */
    record NodeRef(String name, String uid) {}

    /** A running watch. */
    interface Watching extends AutoCloseable {

        /** Ends the watch; the listener is not called afterwards. */
        @Override
        void close();
    }
}
