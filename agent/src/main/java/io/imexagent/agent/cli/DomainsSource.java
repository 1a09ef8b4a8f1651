package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.report.DomainReport;
import java.io.IOException;
import java.util.List;

/** Reads the ComputeDomains of the cluster, and changes nothing. */
@FunctionalInterface
public interface DomainsSource {

    /**
     * The ComputeDomains as they are now, by namespace and name.
     *
     * @throws IOException where the cluster cannot be read; the message says why and what to do
     */
    List<DomainReport> read(AgentConfig config) throws IOException, InterruptedException;
}
