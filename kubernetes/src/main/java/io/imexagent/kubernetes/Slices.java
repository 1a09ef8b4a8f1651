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

    /** Replaces an observed slice, returns it as stored; {@code CONFLICT} if it changed, {@code NOT_FOUND} if gone. */
    ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException;

    /** Deletes a slice; one that is gone already is no failure. */
    void delete(ObservedSlice observed) throws ApiException;

    /** The listener gets all slices at first and after each change, on the client's thread. Failures are waited out. */
    SliceWatch watch(NodeRef owner, Consumer<List<ObservedSlice>> listener);

    /** A node object, the owner of slices. */
    record NodeRef(String name, String uid) {}

    interface SliceWatch extends AutoCloseable {

        /** Ends the watch; the listener is not called afterwards. */
        @Override
        void close();
    }
}
