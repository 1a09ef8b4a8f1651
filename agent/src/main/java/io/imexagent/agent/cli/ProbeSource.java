package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import java.util.Optional;

/** Reads the host once. */
@FunctionalInterface
public interface ProbeSource {

    /** The node as it is now. */
    Probed probe(AgentConfig config) throws InterruptedException;

    /**
     * What was found.
     *
     * @param inventory the node; what could not be read is a finding
     * @param xids the Xids that agents have heard since the boot; empty where none has listened
     */
    record Probed(NodeInventory inventory, Optional<XidHistory> xids) {}
}
