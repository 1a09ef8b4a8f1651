package io.imexagent.kubernetes;

import io.imexagent.core.claim.ComputeDomainUid;
import java.util.Optional;

/** ComputeDomains by name or of one namespace, never watched and never of all namespaces. Calls block. */
public interface ComputeDomains {

    Optional<DomainRef> named(String namespace, String name) throws ApiException;

    /** The ComputeDomain of a namespace that has this UID; paced, as it lists: who knows the name asks by it. */
    Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException;

    record DomainRef(ComputeDomainUid uid, String namespace, String name, boolean deleting) {}
}
