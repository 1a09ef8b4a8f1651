package io.imexagent.kubernetes.clique;

import io.imexagent.kubernetes.ApiException;
import java.util.Optional;

/**
 * Objects of one kind that are written as a whole. Calls block: make them on a virtual thread.
 *
 * @param <T> what an object says
 */
public interface StoredObjects<T> {

    /** Reads an object from the server; empty where there is none of this name. */
    Optional<Stored<T>> get(String name) throws ApiException;

    /**
     * Makes an object.
     *
     * @throws ApiException with kind {@code CONFLICT} where there is one of that name: of all who try at a time, one
     *     succeeds
     */
    Stored<T> create(String name, T content) throws ApiException;

    /**
     * Replaces an object that is unchanged since it was observed.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    Stored<T> replace(Stored<T> observed, T content) throws ApiException;

    /**
     * Deletes an object as it was observed, finalizers and all.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed
     */
    void delete(Stored<T> observed) throws ApiException;
}
