package io.imexagent.kubernetes;

import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import java.util.List;
import java.util.function.Consumer;

/** The ResourceSlices of one driver on one node. Calls block: make them on a virtual thread. */
public interface Slices {

    /** Lists the slices; {@code owner} is the node that must own them. */
    List<ObservedSlice> list(NodeRef owner) throws ApiException;

    /** Makes a slice of the node, and returns it as stored; its position in the pool, from 0, leads its name. */
    ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException;

    /** Replaces a slice as observed, and returns it as stored; kinds {@code CONFLICT} and {@code NOT_FOUND}. */
    ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException;

    /** Deletes a slice; one that is gone already is no failure. */
    void delete(ObservedSlice observed) throws ApiException;

    /** Watches the slices: the listener gets all of them at first and after every change. Failures are waited out. */
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
