package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.report.ClusterReport;
import java.io.IOException;

/** Reads the ComputeDomains of the cluster, and changes nothing. */
@FunctionalInterface
public interface DomainsSource {

    /**
     * The ComputeDomains as they are now, and what is left of others.
     *
     * @throws IOException where the cluster cannot be read; the message says why and what to do
     */
    ClusterReport read(AgentConfig config) throws IOException, InterruptedException;
}
