package io.imexagent.kubernetes;

import io.imexagent.core.claim.ComputeDomainUid;
import java.util.Optional;

/**
 * ComputeDomains, read one at a time or those of one namespace: an agent never watches them, and never asks for those of
 * all namespaces. Blocking: call on a virtual thread.
 */
public interface ComputeDomains {

    /** The ComputeDomain of this name; empty where there is none. */
    Optional<DomainRef> named(String namespace, String name) throws ApiException;

    /**
     * The ComputeDomain of a namespace that has this UID; empty where it has none. Lists the namespace, so it is paced: who
     * knows the name asks by the name.
     */
    Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException;

    /** A ComputeDomain. */
    record DomainRef(ComputeDomainUid uid, String namespace, String name, boolean deleting) {}
}
