package io.imexagent.kubernetes.control;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Optional;

/** The Leases of one namespace. Calls block: make them on a virtual thread. */
public interface Leases {

    /** Reads a Lease; empty where there is none. */
    Optional<Stored<LeaseContent>> get(String name) throws ApiException;

    /**
     * Makes a Lease.
     *
     * @throws ApiException with kind {@code CONFLICT} where there is one of that name: of all who try at a time, one
     *     succeeds
     */
    Stored<LeaseContent> create(String name, LeaseContent content) throws ApiException;

    /**
     * Replaces a Lease that nobody has changed since it was observed.
     *
     * @throws ApiException with kind {@code CONFLICT} where somebody did, {@code NOT_FOUND} where it is gone
     */
    Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content) throws ApiException;
}
