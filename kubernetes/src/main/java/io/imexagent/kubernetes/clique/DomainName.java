package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;

/**
 * A ComputeDomain as the fabric's objects name it. The UID identifies it; the name is for people, the namespace also
 * for limits.
 */
public record DomainName(ComputeDomainUid uid, String namespace, String name) {

    /** Namespace and name, as people write them. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
