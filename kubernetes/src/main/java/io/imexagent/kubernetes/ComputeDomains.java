package io.imexagent.kubernetes;

import io.imexagent.core.claim.ComputeDomainUid;
import java.util.Optional;

/** Reads ComputeDomains by name or of one namespace; it neither watches them nor lists all namespaces. Calls block. */
public interface ComputeDomains {

    Optional<DomainRef> named(String namespace, String name) throws ApiException;

    /**
     * Finds the ComputeDomain of a namespace by its UID. This lists the namespace at a limited rate: use the name if it
     * is known.
     */
    Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException;

    record DomainRef(ComputeDomainUid uid, String namespace, String name, boolean deleting) {}
}
