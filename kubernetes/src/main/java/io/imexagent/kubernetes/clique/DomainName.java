package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;

/**
 * A ComputeDomain as the objects of the fabric name it. The UID decides; namespace and name are for people, and the
 * namespace for limits.
 */
public record DomainName(ComputeDomainUid uid, String namespace, String name) {

    /** Namespace and name, as people write them. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
