package io.imexagent.kubernetes.clique;

import io.imexagent.kubernetes.ApiException;
import java.util.Optional;

/** Objects of one kind that are written as a whole. Calls block: make them on a virtual thread. */
public interface StoredObjects<T> {

    /** Reads an object from the server; empty where there is none of this name. */
    Optional<Stored<T>> get(String name) throws ApiException;

    /** Makes an object; of all who try at a time one succeeds, and kind {@code CONFLICT} is for the others. */
    Stored<T> create(String name, T content) throws ApiException;

    /**
     * Replaces an object that is unchanged since it was observed; kind {@code CONFLICT} where it has changed,
     * {@code NOT_FOUND} where it is gone.
     */
    Stored<T> replace(Stored<T> observed, T content) throws ApiException;

    /** Deletes an object as it was observed, finalizers and all; kind {@code CONFLICT} where it has changed. */
    void delete(Stored<T> observed) throws ApiException;
}
