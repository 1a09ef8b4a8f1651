package io.imexagent.fabric.result;

import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.FabricIdentity;
import java.util.Optional;

/**
 * A node of a run, with the identity that its agent published. A result is void for the node as soon as its identity or
 * its clique changes.
 */
public record TestedNode(String name, FabricIdentity identity) {

    /** Returns the node's boot ID; empty if its agent did not report it. */
    public Optional<String> boot() {
        return identity.boot().map(BootId::value);
    }
}
