package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.inventory.NodeInventory;

/** Reads the host once. */
@FunctionalInterface
public interface ProbeSource {

    /** The node as it is now. What could not be read is a finding of the inventory. */
    NodeInventory probe(AgentConfig config) throws InterruptedException;
}
