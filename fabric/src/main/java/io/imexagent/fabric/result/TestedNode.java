package io.imexagent.fabric.result;

import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.FabricIdentity;
import java.util.Optional;

/**
 * A node of a run, and what a result holds for as its agent published it. A result proves nothing of the node any more as
 * soon as its identity is another, or its clique.
 */
public record TestedNode(String name, FabricIdentity identity) {

    /** The node's boot ID; empty where its agent did not know it. */
    public Optional<String> boot() {
        return identity.boot().map(BootId::value);
    }
}
