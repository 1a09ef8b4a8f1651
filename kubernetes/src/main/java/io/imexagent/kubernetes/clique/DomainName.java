package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ComputeDomainUid;

/**
 * A ComputeDomain as the objects of the fabric name it.
 *
 * @param uid what decides
 * @param namespace its namespace, for people and for limits
 * @param name its name, for people
 */
public record DomainName(ComputeDomainUid uid, String namespace, String name) {

    /** Namespace and name, as people write them. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
