package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;

/** A ComputeDomain as the fabric names it: the UID decides; the names are for people, the namespace for limits. */
public record DomainName(ComputeDomainUid uid, String namespace, String name) {

    /** Namespace and name, as people write them. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
