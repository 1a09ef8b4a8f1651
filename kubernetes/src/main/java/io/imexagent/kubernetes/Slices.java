package io.imexagent.kubernetes;

import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import java.util.List;
import java.util.function.Consumer;

/** The ResourceSlices of one driver on one node. Calls block: make them on a virtual thread. */
public interface Slices {

    /** Lists the slices, which {@code owner} must own. */
    List<ObservedSlice> list(NodeRef owner) throws ApiException;

    /**
     * Creates a slice of the node and returns it as stored. Its name begins with {@code index}, its position in the
     * pool from 0.
     */
    ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException;

    /**
     * Replaces an observed slice and returns it as stored; fails with {@code CONFLICT} if it changed, {@code NOT_FOUND}
     * if it is gone.
     */
    ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException;

    /** Deletes a slice. A slice that is gone already is not a failure. */
    void delete(ObservedSlice observed) throws ApiException;

    /**
     * Watches the slices. The client's thread calls the listener with all slices, first and after each change. Failures
     * are retried.
     */
    SliceWatch watch(NodeRef owner, Consumer<List<ObservedSlice>> listener);

    /** A Node, the owner of slices. */
    record NodeRef(String name, String uid) {}

    interface SliceWatch extends AutoCloseable {

        /** Ends the watch; the listener is not called afterwards. */
        @Override
        void close();
    }
}
